"""The way out of a workspace that has a network by permission: a proxy outside, rules, and credentials it adds."""
