package e2e

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/workflows/temporaltest"
)

func TestGatewayAndWorkerRefuseToStartWithoutTheirServers(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	database, temporal := pgtest.NewDatabase(t), temporaltest.Start(t).Address
	key := strings.Repeat("07", 32)
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"no database set":         {[]string{"ERPILOT_SECRET_KEY=" + key}, "ERPILOT_DATABASE_URL"},
		"an unreachable database": {[]string{"ERPILOT_SECRET_KEY=" + key, "ERPILOT_DATABASE_URL=postgres://erpilot:hush@127.0.0.1:1/erpilot"}, "database"},
		"a database not migrated": {[]string{"ERPILOT_SECRET_KEY=" + key, "ERPILOT_DATABASE_URL=" + pgtest.NewEmptyDatabase(t)}, "migrate"},
		"an unreachable Temporal": {[]string{"ERPILOT_SECRET_KEY=" + key, "ERPILOT_DATABASE_URL=" + database, "ERPILOT_TEMPORAL_ADDRESS=127.0.0.1:1"}, "Temporal"},
		"an unknown namespace":    {[]string{"ERPILOT_SECRET_KEY=" + key, "ERPILOT_DATABASE_URL=" + database, "ERPILOT_TEMPORAL_ADDRESS=" + temporal, "ERPILOT_TEMPORAL_NAMESPACE=nowhere"}, "nowhere"},
		"no key":                  {[]string{"ERPILOT_DATABASE_URL=" + database}, "ERPILOT_SECRET_KEY"},
	} {
		for _, command := range []string{"worker", "gateway"} {
			t.Run(command+", "+name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				cmd := exec.CommandContext(ctx, path, command)
				cmd.Env = append(os.Environ(), append([]string{"ERPILOT_MODEL_PROVIDER=demo", "ERPILOT_DEMO=1", "ERPILOT_GATEWAY_ADDR=127.0.0.1:0"}, c.env...)...)
				out, err := cmd.CombinedOutput()
				if err == nil || cmd.ProcessState.ExitCode() <= 0 || !strings.Contains(string(out), c.says) {
					t.Errorf("it ended with %v and said:\n%s", err, out)
				}
				if strings.Contains(string(out), "hush") {
					t.Errorf("a password is shown:\n%s", out)
				}
			})
		}
	}
}
