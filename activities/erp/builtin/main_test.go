package builtin_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
)

func TestMain(m *testing.M) {
	pgtest.LoadDemo = func(ctx context.Context, url string) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		return builtin.LoadDemo(ctx, conn)
	}
	os.Exit(m.Run())
}
