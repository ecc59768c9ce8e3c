package gateway

import (
	"context"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// tenantView is a tenant as the page shows it.
type tenantView struct {
	TenantID     string    `json:"tenant_id"`
	BrandID      string    `json:"brand_id"`
	SubsidiaryID string    `json:"subsidiary_id"`
	Name         erp.Label `json:"name"`
	Currency     string    `json:"currency"`
	TimeZone     string    `json:"time_zone"`
}

func viewTenant(row pgdb.Tenant) tenantView {
	return tenantView{row.TenantID, row.BrandID, row.SubsidiaryID, erp.Label{Zh: row.NameZh, En: row.NameEn}, row.Currency, row.TimeZone}
}

// loginOptions is what the login screen offers before anybody has logged in.
func (s *Server) loginOptions(w http.ResponseWriter, r *http.Request) error {
	rows, err := s.DB.Tenants(r.Context())
	if err != nil {
		return fault.Wrap(fault.Unavailable, err)
	}
	tenants := make([]tenantView, len(rows))
	for i, row := range rows {
		tenants[i] = viewTenant(row)
	}
	logins := append([]DemoLogin{}, s.DemoLogins...)
	return s.reply(w, http.StatusOK, map[string]any{"tenants": tenants, "demo_logins": logins, "model": s.Model, "demo": s.Demo})
}

// me is who the caller is and what they may touch; grants are read anew.
func (s *Server) me(w http.ResponseWriter, r *http.Request, who *requester) error {
	user, grants, err := s.Auth.User(r.Context(), who.tenant, who.userID)
	if err != nil {
		return err
	}
	if grants == nil {
		grants = identity.Grants{}
	}
	rows, err := s.DB.Tenants(r.Context())
	if err != nil {
		return fault.Wrap(fault.Unavailable, err)
	}
	var tenant tenantView
	for _, row := range rows {
		if row.TenantID == who.tenant.String() {
			tenant = viewTenant(row)
		}
	}
	return s.reply(w, http.StatusOK, map[string]any{"user": user, "grants": grants, "tenant": tenant, "locale": user.Locale,
		"time_zone": user.TimeZone, "model": s.Model, "demo": s.Demo, "session_expires_at": who.expires.UTC(), "server_now": time.Now().UTC()})
}

// readyz says whether Postgres and Temporal answer.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	parts := map[string]string{"database": "ok", "temporal": "ok"}
	status := http.StatusOK
	if err := s.DB.Ping(ctx); err != nil {
		parts["database"], status = "unavailable", http.StatusServiceUnavailable
	}
	if _, err := s.Temporal.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
		parts["temporal"], status = "unavailable", http.StatusServiceUnavailable
	}
	return s.reply(w, status, parts)
}
