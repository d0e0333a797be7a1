"""Google Gemini, as strict as the vendor."""
