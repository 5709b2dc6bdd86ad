import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inProcess, migrated } from "./InProcess.ts"
import { ask, bearer, type Environment, serving, temporaryDirectory, wcs } from "./Process.ts"

const admin = Effect.fnUntraced(function* (environment: Environment, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* inProcess(["admin", ...args, "--json"], environment)
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
})

const dayMillis = 86_400_000

/** Events of the tenants with their retry times, each a day older than the previous one. */
const spoil = (data: string, now: number, events: ReadonlyArray<readonly [string, string, number | null]>) =>
  Effect.sync(() => {
    using database = new DatabaseSync(join(data, "wcs.sqlite"), { timeout: 5_000 })
    const insert =
      database.prepare(`INSERT INTO event (tenant_id, id, kind, subject_id, sequence, data, at, state, retry_at)
      VALUES (?, ?, 'credential.created', 'cred_1', 1, '{}', ?, ?, ?)`)
    for (const [index, [tenant, id, until]] of events.entries()) {
      insert.run(tenant, id, now - index * dayMillis, until === null ? "dead" : "retrying", until)
    }
  })

describe("wcs admin: events that could not be sent", () => {
  it.live("EVT-01: lists dead letters, retries one or all of a tenant, and audits the retry", () =>
    Effect.gen(function* () {
      const data = join(yield* temporaryDirectory, "data")
      const environment = { WCS_DATA: data }
      yield* migrated(environment)
      const other = (yield* admin(environment, "create-tenant", "--name", "other", "--host", "other.example")).id
      const user = ["--tenant", "default", "--email", "a@b.example"]
      yield* admin(environment, "create-user", ...user, "--role", "Super Admin")
      const { tenants } = yield* admin(environment, "list-tenants")
      const own = tenants.find(({ name }: { name: string }) => name === "default").id
      const now = Date.now()
      const later = now + dayMillis
      yield* spoil(data, now, [
        [own, "evt_0000000000000001", later],
        [own, "evt_0000000000000002", null],
        [other, "evt_0000000000000003", later],
        [own, "evt_0000000000000004", later]
      ])
      const stateOf = (until: string | null) => {
        if (until === null) return "for good"
        return Date.parse(until) < later ? "due" : "later"
      }
      const deadLettersOf = (...args: ReadonlyArray<string>) =>
        Effect.map(admin(environment, "list-dead-letters", ...args), ({ events }) =>
          Array.from(events, ({ eventId, until }) => [Number(eventId.slice(-1)), stateOf(until)])
        )
      const { events } = yield* admin(environment, "list-dead-letters", "--limit", "1")
      assert.deepStrictEqual(events, [
        {
          tenantId: own,
          eventId: "evt_0000000000000004",
          kind: "credential.created",
          at: new Date(now - 3 * dayMillis).toISOString(),
          permanent: false,
          until: new Date(later).toISOString()
        }
      ])
      assert.deepStrictEqual(yield* deadLettersOf(), [
        [4, "later"],
        [3, "later"],
        [2, "for good"],
        [1, "later"]
      ])
      const retry = (...args: ReadonlyArray<string>) => admin(environment, "retry-dead-letters", ...args)
      assert.deepStrictEqual(yield* retry("--tenant", "default", "evt_0000000000000004"), { retried: 1 })
      assert.deepStrictEqual(yield* deadLettersOf("--tenant", "default"), [
        [4, "due"],
        [2, "for good"],
        [1, "later"]
      ])

      const server = yield* serving(environment)
      assert.deepStrictEqual(yield* retry("--tenant", other, "--all"), { retried: 1 })
      const { token } = yield* admin(environment, "create-token", ...user, "--name", "a")
      const { text } = yield* ask(server, "/openapi/v1/audit-events?entityType=event", {
        headers: bearer(token)
      })
      const entries = Array.from(JSON.parse(text).data, Object)
      assert.deepStrictEqual(
        entries.map(({ action, entityId, operation }) => [operation, action, entityId]),
        [["UPDATE", "retry", "evt_0000000000000004"]]
      )
      for (const both of [[], ["evt_0000000000000001", "--all"]]) {
        const { code, stderr } = yield* wcs(
          ["admin", "retry-dead-letters", "--tenant", "default", ...both],
          environment
        )
        assert.strictEqual(code, 2)
        assert.match(stderr, /either an event's id or --all/)
      }
    })
  )
})
