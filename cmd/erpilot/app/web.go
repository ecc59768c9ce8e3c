package app

import (
	opact "github.com/erpilot/erpilot/activities/operation"
	"github.com/erpilot/erpilot/api/erpweb"
)

// web says what the ERP's own pages are made of. A history has the
// ERP that keeps one, and a file is of one moment where the ERP can read it so.
func (p Parts) web(operations *opact.Service) erpweb.Config {
	c := erpweb.Config{ERP: p.ERP, Staging: operations}
	if h, ok := p.ERP.(erpweb.Historian); ok {
		c.History = h
	}
	if e, ok := p.ERP.(erpweb.Exporter); ok {
		c.Export = e
	}
	return c
}
