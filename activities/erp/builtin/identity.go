package builtin

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// Login checks a name and a password. Unknown, inactive and wrong look alike and
// take the same time.
func (c *Connector) Login(ctx context.Context, tenant identity.Tenant, username, password string) (identity.User, error) {
	if len(username) > 64 || len(password) > maxPassword {
		return identity.User{}, fault.New(fault.BadCredentials)
	}
	var row pgdb.ErpUser
	err := c.db.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) error {
		var err error
		row, err = q.ErpUserByName(ctx, pgdb.ErpUserByNameParams{TenantID: tenant.String(), Username: strings.ToLower(strings.TrimSpace(username))})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return identity.User{}, coded(err)
	}
	hash := row.PasswordHash
	if hash == "" {
		hash = nobody
	}
	if !checkPassword(hash, password) || !row.Active {
		return identity.User{}, fault.New(fault.BadCredentials)
	}
	return person(tenant, row), nil
}

// User reads the person and their grants anew.
func (c *Connector) User(ctx context.Context, tenant identity.Tenant, userID string) (identity.User, identity.Grants, error) {
	var (
		user   identity.User
		grants identity.Grants
	)
	err := c.db.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) error {
		var err error
		user, grants, err = readUser(ctx, q, tenant, userID)
		return err
	})
	return user, grants, coded(err)
}

// readUser is User inside a transaction; fault.NotFound for unknown or inactive.
func readUser(ctx context.Context, q *pgdb.Queries, tenant identity.Tenant, userID string) (identity.User, identity.Grants, error) {
	row, err := q.ErpUser(ctx, pgdb.ErpUserParams{TenantID: tenant.String(), UserID: userID})
	if err != nil {
		return identity.User{}, nil, store.NotFound(err, "user")
	}
	grants := make(identity.Grants, len(row.Grants))
	for i, g := range row.Grants {
		grants[i].Form, grants[i].Action, _ = strings.Cut(g, " ")
	}
	return person(tenant, row.ErpUser), grants, nil
}

func person(tenant identity.Tenant, row pgdb.ErpUser) identity.User {
	u := identity.User{
		Tenant: tenant, UserID: row.UserID, Username: row.Username, DisplayName: row.NameZh,
		Locale: identity.Locale(row.Locale), TimeZone: row.TimeZone, Roles: row.Roles,
	}
	if u.Locale == identity.English && row.NameEn != "" {
		u.DisplayName = row.NameEn
	}
	return u
}
