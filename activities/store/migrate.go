package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/tern/v2/migrate"

	"github.com/erpilot/erpilot/schema/migrations"
)

// Migrate brings the database at the URL to the newest schema, as the role in
// the URL (the owner). It takes an advisory lock, so that several may start it
// at once. It returns the version before and after.
func Migrate(ctx context.Context, url string) (from, to int32, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, 0, fmt.Errorf("connect to migrate: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	m, err := migrate.NewMigrator(ctx, conn, "public.schema_version")
	if err != nil {
		return 0, 0, fmt.Errorf("prepare migrations: %w", err)
	}
	if err := m.LoadMigrations(migrations.Files); err != nil {
		return 0, 0, fmt.Errorf("load migrations: %w", err)
	}
	if from, err = m.GetCurrentVersion(ctx); err != nil {
		return 0, 0, fmt.Errorf("read the schema version: %w", err)
	}
	if err := m.Migrate(ctx); err != nil {
		return from, from, fmt.Errorf("migrate: %w", err)
	}
	return from, int32(len(m.Migrations)), nil
}
