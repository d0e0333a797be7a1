"""Bytes of files outside the database, in storage that speaks S3: what is put there, read, and removed."""
