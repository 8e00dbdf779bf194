// Browsers start no worker from a page that was opened from the disk, and the search of these pages runs in one. There, and
// only there, a hidden frame does its work: the same script, the same messages, nothing asked of any network.
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.frame.srcdoc = "<!doctype html><title>search</title>"
      this.frame.addEventListener("load", () => this.start(String(url)), { once: true })
      const attach = () => document.body.append(this.frame)
      if (document.body) attach()
      else addEventListener("DOMContentLoaded", attach, { once: true })
    }

    start(url) {
      const inner = this.frame.contentWindow
      // In a worker, postMessage speaks to the page; in a frame it would speak to the frame itself.
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = inner.document.createElement("script")
      script.src = url
      script.addEventListener("load", () => {
        for (const data of this.waiting) this.deliver(data)
        this.waiting = null
      })
      inner.document.body.append(script)
    }

    deliver(data) {
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data)
      else this.deliver(data)
    }

    terminate() {
      this.frame.remove()
    }
  }
  window.Worker = FrameWorker
}
