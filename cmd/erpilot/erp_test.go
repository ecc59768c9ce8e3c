package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
)

func TestMigrateLoadsTheDemoOnceAndCheckProvesIt(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := pgtest.NewDatabase(t)
	var first, second, proof strings.Builder
	for _, out := range []io.Writer{&first, &second} {
		if err := loadDemo(ctx, url, builtin.Demo{}, out); err != nil {
			t.Fatal(err)
		}
	}
	if s := first.String(); !strings.Contains(s, "yunfan.shanghai: 2") || !strings.Contains(s, "Demo data: 3") {
		t.Errorf("the first load says %s", s)
	}
	if s := second.String(); s != "Demo data is there already; nothing to do.\n" {
		t.Errorf("the second load says %s", s)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := checkERP(ctx, conn, "", &proof); err != nil || strings.Count(proof.String(), " ok: ") != 4*13 {
		t.Errorf("%v\n%s", err, proof.String())
	}
	if _, err := conn.Exec(ctx, "UPDATE erp.stock SET quantity = quantity + 1 WHERE key = 'P-0001@WH-01'"); err != nil {
		t.Fatal(err)
	}
	proof.Reset()
	err = checkERP(ctx, conn, "hengtai.shanghai", &proof)
	if err == nil || !strings.Contains(proof.String(), "BROKEN by 1") || !strings.Contains(proof.String(), "P-0001@WH-01: ") || strings.Contains(proof.String(), "yunfan") {
		t.Errorf("%v\n%s", err, proof.String())
	}
	if err := checkERP(ctx, conn, "no.body", io.Discard); err == nil {
		t.Error("a tenant that is not there is fine")
	}
}
