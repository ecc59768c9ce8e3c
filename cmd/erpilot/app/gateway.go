package app

import (
	"github.com/erpilot/erpilot/api/erpweb"
	"github.com/erpilot/erpilot/api/gateway"
	"github.com/erpilot/erpilot/api/web"
	"github.com/erpilot/erpilot/schema/demo"
)

// Gateway returns the HTTP side: the copilot, the ERP's own addresses, the page.
func (p Parts) Gateway() (*gateway.Server, error) {
	operations := p.Operations()
	c := gateway.Config{DB: p.DB, Temporal: p.Temporal, Carrier: p.Carrier, Auth: p.ERP, Proposer: operations, Reconciler: operations,
		Capabilities: p.ERP.Capabilities(), ProofKey: p.Key, Page: web.Page(), TaskQueue: p.TaskQueue, QuestionTTL: p.QuestionTTL,
		Log: p.Log}
	for _, r := range erpweb.New(p.web(operations)).Routes() {
		c.Routes = append(c.Routes, gateway.Route(r))
	}
	if p.Model != nil {
		c.Model, c.Demo = p.Model.Name(), p.Model.Demo()
	}
	if p.Demo {
		c.DemoLogins = DemoLogins()
	}
	return gateway.New(c)
}

// DemoLogins are the accounts of the demo data.
func DemoLogins() []gateway.DemoLogin {
	var logins []gateway.DemoLogin
	for _, tenant := range demo.Tenants() {
		for _, u := range demo.People() {
			logins = append(logins, gateway.DemoLogin{Tenant: tenant.String(), Username: u.UserID, Password: demo.Password, Name: u.NameZh + " " + u.NameEn})
		}
	}
	return logins
}
