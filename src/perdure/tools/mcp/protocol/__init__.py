"""The official package, wrapped: nothing else imports it.

It is loaded when a server is first talked to, because that takes longer than starting all of Perdure.
"""
