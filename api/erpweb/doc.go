// Package erpweb is the HTTP side of the ERP: the form catalogue and reading
// records, within the caller's grants.
//
// # Design
//
// It speaks to the port activities/erp.Connector only, so every ERP behind the
// port is served alike. The gateway mounts its routes behind its own
// authentication and turns returned errors into problem+json; a request that
// gets here has a person with grants.
//
// # Failure handling
//
// Bad input is fault.Invalid with what is wrong; an unknown form and one outside
// the grants look alike (permission_denied), an unknown record is not_found.
//
// # Intentional
//
// Filters and paging are the ones of the tool read_form, allow-listed by form:
// a person's screen can ask for nothing that the agent could not, and neither can
// pass a parameter through to the ERP.
package erpweb
