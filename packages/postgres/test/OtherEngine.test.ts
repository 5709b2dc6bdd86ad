import { assert, it } from "@effect/vitest"
import { otherEngine, resembling } from "@wcs/postgres/OtherEngine"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect } from "effect"

const cases = [
  ["db1", "CockroachDB CCL v26.3.0 (x86_64-pc-linux-gnu, built 2026/08/17)", "CockroachDB"],
  ["db1", "PostgreSQL 15.12-YB-2025.2.3.0-b0 on x86_64-pc-linux-gnu", "YugabyteDB"],
  ["4iabtwv6exampleid.dsql.ap-southeast-2.on.aws:5432", "PostgreSQL 16", "Aurora DSQL"],
  ["wcs.cluster-c1.ap-southeast-2.rds.amazonaws.com", "PostgreSQL 17.6 on aarch64-unknown-linux-gnu", undefined],
  ["ep-cool-1.ap-southeast-2.aws.neon.tech", "PostgreSQL 18.1 on aarch64-unknown-linux-gnu", undefined],
  ["dsql.example.org", "PostgreSQL 18.4 on x86_64-pc-linux-gnu", undefined]
] as const

it("recognizes an engine that only resembles Postgres by its version or its address, and no service that runs Postgres", () => {
  for (const [host, version, name] of cases) {
    assert.strictEqual(resembling(`postgres://wcs:secret@${host}/wcs`, version), name, host)
  }
})

it.live("takes a Postgres for itself", () =>
  Effect.gen(function* () {
    assert.isUndefined(yield* otherEngine(yield* freshDatabase))
  })
)
