"""Reports: results to HTML, JSON and text. No arithmetic."""
