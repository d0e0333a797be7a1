"""The neutral transcript, made fit for one API: what a strict validator of it would refuse is repaired here."""
