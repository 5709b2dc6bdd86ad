import { assert, describe, it } from "@effect/vitest"
import { makeRecorder } from "@wcs/store-suite/citus/Recorder"
import { distributedIn, type Place, verdictOf } from "@wcs/store-suite/citus/Verdict"

const distributed = distributedIn(`SELECT create_distributed_table('worker', 'tenant_id', colocate_with => 'none');
  SELECT create_distributed_table(name, 'tenant_id', colocate_with => 'worker')
  FROM unnest(ARRAY['card', 'event', 'scan']::regclass[]) AS name;`)

const placeOf = (text: string, params?: ReadonlyArray<unknown>): Place => verdictOf(text, distributed, params).place

const reasonOf = (text: string, params?: ReadonlyArray<unknown>) => verdictOf(text, distributed, params).reasons.join()

/** A reason, and a statement that is refused for it. The statement beside differs in one part, and is not refused. */
const rules: ReadonlyArray<readonly [reason: string, refused: string, beside: string]> = [
  [
    "worker: locks rows of all tenants",
    "SELECT 1 FROM worker AS w WHERE w.id = $1 FOR UPDATE SKIP LOCKED",
    "SELECT 1 FROM worker AS w WHERE w.id = $1"
  ],
  [
    "worker: locks rows of all tenants",
    "WITH n AS (SELECT CAST($1 AS TEXT) AS tenant) SELECT 1 FROM n CROSS JOIN worker AS w WHERE w.tenant_id = n.tenant FOR SHARE",
    "WITH n AS (SELECT CAST($1 AS TEXT) AS tenant) SELECT 1 FROM n CROSS JOIN worker AS w WHERE w.tenant_id = $1 FOR SHARE"
  ],
  [
    "worker: WITH RECURSIVE over all tenants",
    "WITH RECURSIVE f (id) AS (SELECT min(w.id) FROM worker AS w UNION ALL SELECT f.id + 1 FROM f) SELECT f.id FROM f",
    "WITH RECURSIVE f (id) AS (SELECT min(w.id) FROM worker AS w WHERE w.tenant_id = $1 UNION ALL SELECT f.id + 1 FROM f) SELECT f.id FROM f"
  ],
  [
    "card, worker: a correlated subquery over all tenants",
    "SELECT (SELECT max(c.at) FROM card AS c WHERE c.tenant_id = w.tenant_id AND c.worker_id = w.id) FROM worker AS w WHERE w.tenant_id = $1",
    "SELECT (SELECT max(c.at) FROM card AS c WHERE c.tenant_id = $1 AND c.worker_id = w.id) FROM worker AS w WHERE w.tenant_id = $1"
  ],
  [
    "event: a correlated subquery over all tenants",
    "SELECT e.id FROM jsonb_array_elements_text($1) AS n(value) CROSS JOIN LATERAL (SELECT * FROM event AS x WHERE x.id = n.value LIMIT 1) AS e",
    "SELECT e.id FROM jsonb_array_elements_text($1) AS n(value) CROSS JOIN LATERAL (SELECT * FROM event AS x WHERE x.tenant_id = $2 AND x.id = n.value LIMIT 1) AS e"
  ],
  [
    "event: ctid of rows of all tenants; a write of all tenants by a list or a subquery",
    "DELETE FROM event WHERE ctid IN (SELECT e.ctid FROM event AS e WHERE e.at < $1 LIMIT 100)",
    "DELETE FROM event WHERE at < $1"
  ],
  [
    "worker: a write of all tenants by a list or a subquery",
    "UPDATE worker SET name = n.name FROM jsonb_to_recordset($1) AS n (tenant TEXT, id TEXT, name TEXT) WHERE worker.tenant_id = n.tenant AND worker.id = n.id",
    "UPDATE worker SET name = n.name FROM jsonb_to_recordset($1) AS n (id TEXT, name TEXT) WHERE worker.tenant_id = $2 AND worker.id = n.id"
  ],
  [
    "card, worker: a join other than by the tenant",
    "SELECT 1 FROM worker AS w JOIN card AS c ON c.worker_id = w.id",
    "SELECT 1 FROM worker AS w JOIN card AS c ON c.tenant_id = w.tenant_id AND c.worker_id = w.id"
  ],
  [
    "card, event: a subquery in an INSERT",
    "INSERT INTO event (tenant_id, id) SELECT CAST($1 AS TEXT), n.id FROM jsonb_to_recordset($2) AS n (id TEXT) WHERE EXISTS (SELECT 1 FROM card AS c WHERE c.tenant_id = $1 AND c.id = n.id)",
    "INSERT INTO event (tenant_id, id) SELECT CAST($1 AS TEXT), n.id FROM jsonb_to_recordset($2) AS n (id TEXT) CROSS JOIN LATERAL (SELECT 1 FROM card AS c WHERE c.tenant_id = $1 AND c.id = n.id LIMIT 1) AS c"
  ],
  [
    "scan: a subquery in an INSERT",
    "INSERT INTO scan (tenant_id, number) VALUES ($1, (SELECT max(s.number) FROM scan AS s WHERE s.tenant_id = $1))",
    "INSERT INTO scan (tenant_id, number) VALUES ($1, $2)"
  ],
  [
    "event, worker: an INSERT in a WITH",
    "WITH w AS (UPDATE worker SET at = $1 WHERE tenant_id = $2 RETURNING 1), e AS (INSERT INTO event (tenant_id) SELECT CAST($2 AS TEXT) FROM w) SELECT 1",
    "WITH w AS (UPDATE worker SET at = $1 WHERE tenant_id = $2 RETURNING 1) SELECT 1 FROM w"
  ],
  [
    "worker: with tables of the coordinator: lease",
    "SELECT 1 FROM worker AS w JOIN lease AS l ON l.id = w.id WHERE w.tenant_id = $1",
    "SELECT 1 FROM worker AS w WHERE w.tenant_id = $1"
  ]
]

describe("where a statement runs on Citus", () => {
  it.each(rules)("refuses %s", (reason, refused, beside) => {
    assert.strictEqual(reasonOf(refused), reason)
    assert.notStrictEqual(placeOf(beside), "refused", reasonOf(beside))
  })

  it.each<readonly [Place, string]>([
    ["coordinator", "SELECT pg_advisory_xact_lock(1)"],
    ["coordinator", "SELECT t.id FROM tenant AS t JOIN lease AS l ON true FOR UPDATE"],
    ["one tenant", "SELECT 1 FROM worker WHERE tenant_id = CAST($1 AS TEXT) AND id = $2 FOR UPDATE"],
    ["one tenant", "SELECT 1 FROM worker AS w JOIN card AS c USING (tenant_id) WHERE c.tenant_id = 'tnt_1' FOR UPDATE"],
    [
      "one tenant",
      "INSERT INTO worker (id, tenant_id) VALUES ($1, $2), ($3, $2) ON CONFLICT (tenant_id, id) DO NOTHING"
    ],
    ["one tenant", "INSERT INTO card (tenant_id, id) SELECT w.tenant_id, w.id FROM worker AS w WHERE w.tenant_id = $1"],
    ["one tenant", "DELETE FROM event WHERE tenant_id = $1 AND ctid IN (SELECT ctid FROM event WHERE tenant_id = $1)"],
    ["all tenants", "SELECT w.name, count(*) FROM worker AS w WHERE w.at < $1 GROUP BY w.name ORDER BY 1 LIMIT 10"],
    ["all tenants", "SELECT 1 FROM worker WHERE tenant_id = $1 OR id = $2"],
    ["all tenants", "SELECT 1 FROM worker WHERE tenant_id > $1"],
    ["all tenants", "INSERT INTO scan (tenant_id) SELECT n.tenant FROM jsonb_to_recordset($1) AS n (tenant TEXT)"]
  ])("finds a place for %s: %s", (place, text) => {
    assert.strictEqual(placeOf(text), place, reasonOf(text))
  })

  it("compares the values of parameters that name the tenant", () => {
    const text = "SELECT 1 FROM worker AS w CROSS JOIN card AS c WHERE w.tenant_id = $1 AND c.tenant_id = $2"
    assert.strictEqual(placeOf(text, ["tnt_1", "tnt_1"]), "one tenant")
    assert.strictEqual(reasonOf(text, ["tnt_1", "tnt_2"]), "card, worker: several tenants")
    assert.strictEqual(reasonOf(text), "card, worker: several tenants")
  })

  it("judges each run of a statement by its values", () => {
    const { note, report } = makeRecorder(distributed)
    const text = "SELECT 1 FROM worker AS w CROSS JOIN card AS c WHERE w.tenant_id = $1 AND c.tenant_id = $2"
    note(text, ["tnt_1", "tnt_1"])
    assert.deepStrictEqual(report().reasons, [])
    note(text, ["tnt_1", "tnt_2"])
    note(text, ["tnt_2", "tnt_2"])
    assert.deepStrictEqual(report().reasons, ["card, worker: several tenants"])
    assert.include(report().text, "refused: 1\nrefused: card, worker: several tenants: SELECT 1 FROM worker")
    assert.strictEqual(report(new Set([text])).count, 0)
  })
})
