"""Words by which columns are called, by subject: English, German, French, Spanish, Italian, Dutch and Catalan.

A word of a list fits a part of a name that is the same; with a star at its end, one that begins with it, and with a
star at both ends, one that contains it, as compounds do (``Haushaltseinkommen``). Accents are left away.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

__all__ = ["listed_words", "name_words", "subject_of"]


def listed_words(text: str) -> tuple[str, ...]:
    """Return the words of a list that is written as one text."""
    return tuple(text.split())


PERSON = listed_words(
    "name names firstname lastname surname forename fullname vorname nachname familienname nom prenom apellido* "
    "nombre cognome nome naam achternaam voornaam cognom* email mail e-mail correo courriel phone telephone "
    "telefon* telefono tel mobile handy fax address adresse anschrift direccion indirizzo adres street strasse "
    "rue calle via straat carrer ssn nss bsn ahv sozialversicherung* passport pasaporte passeport nif dni nie "
    "iban account konto* license licence plate kennzeichen vin url website homepage webseite ip ipaddress mac "
    "device imei serial mrn fingerprint photo foto biometric* latitude longitude lat lon lng coord* siren siret "
    "kvk lei duns cif vat* steuernummer uid uuid guid certificate beneficiary codicefiscale"
)
NUMBER = listed_words(
    "id ids ident identifier nr no num number nummer numero num_ nro lfdnr lfd code key pid persnr recordid "
    "record case caseid caseno respondent index rownum row seq session serial sn laufnummer identificador "
    "identifiant folio matricula"
)
HOUSEHOLD = listed_words(
    "hid hhid hh hhnr household* *haushalt* hausnr menage menages hogar hogares vivienda famiglia familia "
    "*huishoud* llar foyer family familyid dwelling dwellingid idhous* idhog numhog homeid home idhh* idhog* "
    "*hhid* hhno hhnum hhnumber haushnr"
)
WEIGHT = listed_words(
    "*weight weights *wgt* wt wts pweight fweight poids peso pesi pes pesos pond ponder* ponderacion ponderation "
    "gewicht gewichtung *hochrechnung* *wegingsfactor* weging wegfactor expansion factorexp elevacion fexp facexp "
    "calibration *gewichtungsfaktor* gew wpers* whh* gewichten hochr* hrf hrfaktor coef coeff coefpond* coefext* koef* "
    "coefficient* extrapol*"
)
PHYSICAL = listed_words(
    "kg kilo kilos gram grams lb lbs pound* body over under birth koerper* korper* corporel* corporal corporeo "
    "lichaam* geburt* whole shell shucked viscera net gross dry wet vehicle truck car brain organ"
)
STRATUM = listed_words("strat strata stratum stratum* strate estrato strato schicht* estrat psu upm cluster ssu")
PLACE = listed_words(
    "zip zipcode zip* plz postal postcode postleitzahl postalcode codigopostal cp region regions regio regione "
    "regional county district distrito canton kanton cant province provincia provincie prov *gemeinde* municip* "
    "gemeente comune comarca commune communes com nuts country pays pais paese state states bundesland "
    "departement dept departamento comunidad stadt city town ciudad ville urban* rural urbrur area zone zona "
    "tract neighbourhood neighborhood barrio quartier wijk wohnort ort geo location residence residencia "
    "woonplaats birthplace geburtsort continent native"
)
WORK = listed_words(
    "occupation occup* isco* soc occ job jobs beruf* profession profesion professione profes* ocupacion "
    "occupazione beroep* nace* sic naics industry industrie branche branch sector *sektor* noga sbi cnae ateco "
    "activity actividad attivita wirtschaftszweig workclass employment employ emp *erwerb* empleo emploi trabajo "
    "lavoro labour labor employer arbeits* csp* laboral situation legalform legal rechtsform"
)
DEMOGRAPHIC = listed_words(
    "sex gender geschlecht* sexe sexo sesso genere genero geslacht marital maritalstatus civil civsta* famst* "
    "civilstatus *familienstand* zivilstand matrimonial etatcivil statocivile burgerlijke* hhcivil estadocivil "
    "race ethnic* raza nationality nacionalidad nationalite nazionalita nationaliteit *staatsangeh* citizenship "
    "nat language langue lengua sprache taal idioma relationship relat relation parentesco parente verwandtschaft "
    "rel tenure housing roof wall walls water electcon electricity toilet floor dwellingtype building ownership "
    "owner migration* migrant foreign immigrant household_type hhtype familytype haushaltstyp typmen wohnung* "
    "heating fuel burgst* etat"
)
AGE = listed_words(
    "age ages alter edad eta leeftijd edat agegroup *altersgruppe* altersklasse birthyear yearofbirth birthy "
    "birthyr yob dob birth birthdate dateofbirth *geburtsjahr* *geburtsdatum* geburt naissance nacimiento nascita "
    "geboorte* naixement anaissance"
)
EDUCATION = listed_words(
    "education educ educat* schooling school degree diploma *bildung* *schulabschluss* abschluss etudes estudios "
    "studi studio opleiding* estudis instruccion istruzione isced* qualification titulo niveau nivel formation "
    "formacion"
)
COUNT = listed_words(
    "children kids child kinder enfants hijos figli kinderen fills adults persons personen people dependent* "
    "dependant* members membres miembros size hhsize *groesse* *grosse taille tamano dimensione grootte rooms "
    "zimmer raeume pieces habitaciones stanze kamers cars vehicles autos coches hours hrs stunden heures horas "
    "ore uren count nb employees staff headcount beschaeftigte* mitarbeiter* salaries empleados dipendenti "
    "werknemers treballadors fte"
)
AMOUNT = listed_words(
    "*income* inc hhinc *einkommen* revenu revenus ingreso* renta reddito redditi inkomen* *inkomen renda *wage "
    "wages *salary salar* salario stipendio sou lohn gehalt *lohn *gehalt salaire pay earnings earn* verdienst "
    "gains *turnover* *revenue* sales *umsatz* chiffre ventas ventes vente facturacion fatturato omzet vendes "
    "profit profits gewinn benefice beneficio* utile winst loss losses verlust expend* expense* *ausgaben* "
    "depense* gasto* spesa spese uitgaven despesa cost costs *kosten* cout* coste* costi debt debts schulden "
    "*schuld* dette deuda debito deute asset assets vermoegen *vermogen* actif activos attivo *activa savings "
    "saving sparen* epargne ahorro* risparmi* spaar* wealth capital* kapital* capitale tax taxes taxinc *tax "
    "*steuer* impot* impuesto* imposta belasting* fica agi rent rents miete loyer alquiler affitto huur lloguer "
    "pension* rente benefit benefits subsid* subvention* *allowance* grant prestacion* price value *wert* valeur "
    "valor valore waarde balance credit loan loans mortgage hypothek* hipoteca premium bonus investment* "
    "investition* research export exports import imports vat_paid payment payments payroll amount betrag montant "
    "importe importo bedrag funds treasury depreciation labor_costs outcome money donation consumption valueadded "
    "netto brutto nettoe* nettol* nettoverd* bruttoe* bruttol* *einkomm* einkk* salair* remuner* sueldo* bezuege "
    "hinc* entrate guadagn* charges brutoink nettoink totinc netinc grossinc persinc faminc *lasten *inkomsten"
)
HEALTH = listed_words(
    "diagnosis diagnos* icd* disease* krankheit* maladie enfermedad* malattia ziekte malaltia symptom* health* "
    "gesundheit* sante salud salute gezondheid smok* tabac tabaco rauch* raucher alcohol alkohol drug drugs hiv "
    "test result results lab labor_value blood bloodpressure pressure systolic diastolic bmi cholesterol glucose "
    "hba1c depress* disab* behinder* handicap discapacidad treatment treat* medication medic* dose therapy "
    "therapie pulse pain hospital surgery los stay mortality death died outcome_status allergy cancer tumor "
    "tumour infection vaccin* erythema itching biopsy comorbid* creatinine temperature weightkg heightcm mental "
    "procedure drg severity charlson length_of_stay readmi* *osis *itis *pathy *papule* *keratos* *emia *oma "
    "patient_history roken rook* fumer fumeur fuma* fumo"
)
OPINION = listed_words(
    "satisf* zufried* tevreden* soddisf* opinion* meinung* avis attitude* trust vertrauen confianza confiance "
    "fiducia vertrouwen vote voted voting wahl party partei partido parti partito partij politic* left leftright "
    "agree* happy happiness glueck* gluck* bonheur felicidad religion* religi* konfession* kirche belief faith "
    "orientation sexual* crime offence arrest convict* default* arrears delinquen* fraud* claim* victim* union "
    "grade grades score note noten poverty lifesat* wellbeing stress lonel* bankrup* insolven*"
)
DATE = listed_words("date dates datum fecha data datetime timestamp day jour dia")
SUBJECTS: dict[str, tuple[str, ...]] = {
    "household": HOUSEHOLD, "weight": WEIGHT, "stratum": STRATUM, "health": HEALTH, "opinion": OPINION,
    "amount": AMOUNT, "age": AGE, "education": EDUCATION, "work": WORK, "demographic": DEMOGRAPHIC, "place": PLACE,
    "count": COUNT, "person": PERSON, "number": NUMBER, "physical": PHYSICAL, "date": DATE,
}  # fmt: skip


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    def one(word: str) -> str:
        inner = re.escape(word.strip("*"))
        return ("[a-z0-9]*" if word.startswith("*") else "") + inner + ("[a-z0-9]*" if word.endswith("*") else "")

    return {subject: re.compile("|".join(one(word) for word in words)) for subject, words in SUBJECTS.items()}


@cache
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name, in small letters and without accents, and neighbours joined.

    Examples
    --------
    >>> name_words("samplingWeight_2")
    ('sampling', 'weight', 'samplingweight')
    >>> name_words("Größe des Haushalts")
    ('grosse', 'des', 'haushalts', 'grossedes', 'deshaushalts', 'grossedeshaushalts')
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
    parts = [part for part in re.split(r"[^a-z]+", plain.lower()) if part]
    joined = ["".join(parts[i : i + 2]) for i in range(len(parts) - 1)]
    whole = ["".join(parts)] if len(parts) > 2 else []
    return tuple(dict.fromkeys([*parts, *joined, *whole]))


@cache
def subject_of(name: str, label: str = "") -> frozenset[str]:
    """Return the subjects that a name, or the label of a column, speaks of.

    Examples
    --------
    >>> sorted(subject_of("hh_income"))
    ['amount', 'household']
    >>> sorted(subject_of("Altersgruppe"))
    ['age']
    """
    words = [*name_words(name), *name_words(label)]
    return frozenset(
        subject for subject, pattern in _patterns().items() if any(pattern.fullmatch(word) for word in words)
    )
