// Package identity names who acts: tenant, user, and what the user may touch.
//
// Identity is stable (user + tenant). A token or a session proves it and may
// change; nothing is ever keyed by a token.
//
// # Intentional
//
// A tenant is written "<brand>.<subsidiary>" wherever one value is needed (tenant_id,
// search attributes, the first part of a token): no layer has to carry a pair.
// Grants are looked at form by form and action by action, never field by field.
//
// # Rejected
//
// Roles as rights: roles only name who an approval policy means.
package identity
