package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Listen opens a connection of its own, outside the pool, that listens on the
// channels. The caller closes it; a broken one is opened anew by the caller.
func (db *DB) Listen(ctx context.Context, channels ...string) (*pgx.Conn, error) {
	config := db.pool.Config().ConnConfig.Copy()
	config.RuntimeParams["application_name"] = "erpilot listen"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	for _, channel := range channels {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			_ = conn.Close(context.WithoutCancel(ctx))
			return nil, fmt.Errorf("listen on %s: %w", channel, err)
		}
	}
	return conn, nil
}
