package builtin

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// copyRows are rows of one table in COPY's text format. Numbers come as integers
// with a count of decimals, so that nothing is parsed or rounded on the way.
type copyRows struct {
	table, columns string
	buf            []byte
	n              int
	// learn shows the first rows to the planner.
	learn bool
}

func rowsOf(table, columns string) *copyRows { return &copyRows{table: table, columns: columns} }

func (c *copyRows) sep() {
	if n := len(c.buf); n > 0 && c.buf[n-1] != '\n' {
		c.buf = append(c.buf, '\t')
	}
}

var copyEscapes = strings.NewReplacer("\\", "\\\\", "\t", "\\t", "\n", "\\n", "\r", "\\r")

// text appends strings; an empty one stays empty.
func (c *copyRows) text(values ...string) *copyRows {
	for _, v := range values {
		c.sep()
		if strings.ContainsAny(v, "\\\t\n\r") {
			v = copyEscapes.Replace(v)
		}
		if v == "" && (len(c.buf) == 0 || c.buf[len(c.buf)-1] == '\n') {
			panic("an empty first column of " + c.table) // It would swallow the next separator; tenant_id is first everywhere.
		}
		c.buf = append(c.buf, v...)
	}
	return c
}

func (c *copyRows) null() *copyRows {
	c.sep()
	c.buf = append(c.buf, '\\', 'N')
	return c
}

// maybe is text, and NULL where it is empty.
func (c *copyRows) maybe(v string) *copyRows {
	if v == "" {
		return c.null()
	}
	return c.text(v)
}

// fixed is v ÷ 10^decimals.
func (c *copyRows) fixed(v int64, decimals int) *copyRows {
	c.sep()
	if v < 0 {
		c.buf, v = append(c.buf, '-'), -v
	}
	p := int64(1)
	for range decimals {
		p *= 10
	}
	c.buf = strconv.AppendInt(c.buf, v/p, 10)
	if f := v % p; f != 0 {
		c.buf = append(c.buf, '.')
		for p /= 10; p > f; p /= 10 {
			c.buf = append(c.buf, '0')
		}
		c.buf = strconv.AppendInt(c.buf, f, 10)
	}
	return c
}

func (c *copyRows) integer(v int) *copyRows { return c.fixed(int64(v), 0) }

func (c *copyRows) yes(v bool) *copyRows {
	c.sep()
	c.buf = strconv.AppendBool(c.buf, v)
	return c
}

// day is a date, NULL for the zero time; moment the same with the time of day.
func (c *copyRows) day(t time.Time) *copyRows { return c.when(t, "2006-01-02") }

func (c *copyRows) moment(t time.Time) *copyRows { return c.when(t, "2006-01-02 15:04:05Z") }

func (c *copyRows) when(t time.Time, layout string) *copyRows {
	if t.IsZero() {
		return c.null()
	}
	c.sep()
	c.buf = t.UTC().AppendFormat(c.buf, layout)
	return c
}

func (c *copyRows) end() {
	c.buf = append(c.buf, '\n')
	c.n++
}

// load copies into a temporary table and inserts from there in one statement:
// COPY does not go into tables with row-level security unless one bypasses it,
// and the owner of these does not. The rows are gone afterwards, their memory is kept.
func (c *copyRows) load(ctx context.Context, tx pgx.Tx) error {
	if c.n == 0 {
		return nil
	}
	temp := "demo_" + c.table
	ddl := "CREATE TEMP TABLE IF NOT EXISTS " + temp + " ON COMMIT DROP AS SELECT " + c.columns + " FROM erp." + c.table + " WITH NO DATA; TRUNCATE " + temp
	if _, err := tx.Exec(ctx, ddl); err != nil {
		return fmt.Errorf("%s: %w", c.table, err)
	}
	if _, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(c.buf), "COPY "+temp+" ("+c.columns+") FROM STDIN"); err != nil {
		return fmt.Errorf("%s: %w", c.table, err)
	}
	if _, err := tx.Exec(ctx, "INSERT INTO erp."+c.table+" ("+c.columns+") SELECT "+c.columns+" FROM "+temp); err != nil {
		return fmt.Errorf("%s: %w", c.table, err)
	}
	c.buf, c.n = c.buf[:0], 0
	if !c.learn {
		return nil
	}
	// The checks of foreign keys plan once and keep their plan: without knowing the
	// tables they may go through an index that starts with the tenant and ends there.
	c.learn = false
	if _, err := tx.Exec(ctx, "ANALYZE erp."+c.table); err != nil {
		return fmt.Errorf("%s: %w", c.table, err)
	}
	return nil
}
