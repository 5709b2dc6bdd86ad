import { assert, describe } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import { Worker } from "@wcs/domain/people/Worker"
import type { TimelinePage, TimelineSelection } from "@wcs/domain/resource/Timeline"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { DeliveryField } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Effect, Option } from "effect"
import fc from "fast-check"
import { putClient, putTenant, putToken } from "./access/AccessFixtures.ts"
import { putSession } from "./access/SessionStoreSuite.ts"
import { putUser } from "./access/UserFixtures.ts"
import { draft, pinged } from "./delivery/DeliveryFixtures.ts"
import {
  auditEntry,
  created,
  everything,
  mint,
  put,
  type Stores,
  start,
  type TenantTest,
  workerFields
} from "./Fixtures.ts"
import { check } from "./Property.ts"
import { scan } from "./ScanStoreSuite.ts"

/** A row to write: by the first or the second user, and a choice that each timeline uses in its own way. */
interface Drawn {
  readonly account: Account
  readonly choice: boolean
  /** Later rows have earlier times, since pages are in the order of writing. */
  readonly at: number
}

/** A timeline of a tenant's rows. */
interface Timeline<Row, Field extends string> {
  /** Stores a row, and returns it as pages show it. */
  readonly put: (drawn: Drawn) => Effect.Effect<Row, unknown, Stores>
  readonly page: (
    tenantId: string,
    selection: TimelineSelection<Field>
  ) => Effect.Effect<TimelinePage<Row>, never, Stores>
  /** Whether a row is shown on request only. */
  readonly isEnded?: (row: Row) => boolean
  /** The value of each field that conditions can name; null if the row has none. */
  readonly values?: (row: Row) => Readonly<Record<Field, string | null>>
}

/** The credential and the webhook whose timelines are read. */
const credentialOf = (tenantId: string): string => `cred of ${tenantId}`
const webhookOf = (tenantId: string): string => `whk of ${tenantId}`

const anyRow = fc.record({ isFirst: fc.boolean(), choice: fc.boolean() })
const anySelection = fc.record({
  direction: fc.constantFrom("asc" as const, "desc" as const),
  pageSize: fc.integer({ min: 1, max: 4 }),
  includeDeleted: fc.boolean(),
  /** The row whose values the conditions have, and which of the fields they name. */
  like: fc.nat(),
  named: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 })
})

/** All rows of a selection, page by page. Each page tells the total. */
const walk = Effect.fnUntraced(function* <Row, Field extends string>(
  { page }: Timeline<Row, Field>,
  tenantId: string,
  selection: TimelineSelection<Field>,
  expected: number
) {
  const rows: Array<unknown> = []
  for (let after: number | undefined; ; ) {
    const { hasMore, items, total }: TimelinePage<Row> = yield* page(tenantId, { ...selection, after })
    rows.push(...items.map(({ position: _, ...row }) => row))
    assert.strictEqual(total, expected)
    if (!hasMore) return rows
    assert.lengthOf(items, selection.pageSize, "a page before the last is full")
    after = items.at(-1)?.position
  }
})

const testTimeline = <Row, Field extends string>(it: TenantTest, name: string, timeline: Timeline<Row, Field>): void =>
  it(`of ${name} are those of a plain filter, in the order of writing and backwards`, function* () {
    const { isEnded = () => false, values = () => ({}) as Readonly<Record<Field, string | null>> } = timeline
    yield* check(
      fc.record({
        drawn: fc.array(anyRow, { minLength: 1, maxLength: 8 }),
        selections: fc.array(anySelection, { minLength: 6, maxLength: 6 })
      }),
      Effect.fnUntraced(function* ({ drawn, selections }) {
        const [{ account, tenant }, neighbour] = [yield* putTenant, yield* putTenant]
        const second = (yield* putUser(tenant.id)).account
        const rows: Array<Row> = []
        for (const [n, { choice, isFirst }] of drawn.entries()) {
          yield* timeline.put({ account: neighbour.account, choice, at: start - n })
          rows.push(yield* timeline.put({ account: isFirst ? account : second, choice, at: start - n }))
        }
        for (const { direction, includeDeleted, like, named, pageSize } of selections) {
          const sought = values(rows[like % rows.length] ?? assert.fail("there is no row"))
          const conditions = Object.entries<string | null>(sought).flatMap(([field, value], index) =>
            value === null || named[index] !== true ? [] : [{ field: field as Field, value }]
          )
          const expected = rows
            .filter((row) => includeDeleted || !isEnded(row))
            .filter((row) => conditions.every(({ field, value }) => values(row)[field] === value))
          const selection = { ...everything, direction, includeDeleted, pageSize, conditions, includeTotal: true }
          const found = yield* walk(timeline, tenant.id, selection, expected.length)
          assert.deepStrictEqual(found, direction === "asc" ? expected : expected.toReversed())
        }
        if (timeline.values === undefined) return
        const impossible = { ...everything, conditions: undefined, includeTotal: true }
        assert.deepStrictEqual(yield* walk(timeline, tenant.id, impossible, 0), [])
      }),
      { numRuns: 10 }
    )
  })

/** Tests the pages of each timeline but the audit log, which has a suite of its own. */
export const timelineSuite = (it: TenantTest): void => {
  describe("pages", () => {
    testTimeline(it, "clients", {
      put: ({ account, at, choice }) =>
        putClient(account.tenantId, { createdAt: at, revokedAt: choice ? start : null }),
      page: (tenantId, selection: TimelineSelection<never>) =>
        AccessStore.use((store) => store.clients(tenantId, selection)),
      isEnded: ({ revokedAt }) => revokedAt !== null
    })
    testTimeline(it, "personal tokens", {
      put: ({ account, at, choice }) => putToken(account, { createdAt: at, revokedAt: choice ? start : null }),
      page: (tenantId, selection: TimelineSelection<"accountId">) =>
        AccessStore.use((store) => store.personalTokens(tenantId, selection)),
      isEnded: ({ revokedAt }) => revokedAt !== null,
      values: ({ accountId }) => ({ accountId })
    })
    testTimeline(it, "sessions", {
      put: ({ account, at, choice }) => putSession(account, { createdAt: at, revokedAt: choice ? start : null }),
      page: (tenantId, selection: TimelineSelection<"accountId">) =>
        SessionStore.use((store) => store.page(tenantId, selection)),
      isEnded: ({ revokedAt }) => revokedAt !== null,
      values: ({ accountId }) => ({ accountId })
    })
    testTimeline(it, "scans", {
      put: Effect.fnUntraced(function* ({ account, at, choice }: Drawn) {
        const matched = { status: "queued", outcome: "MATCHED", credentialId: account.id } as const
        const row = scan(account.tenantId, { at, identifier: String(at % 2), ...(choice ? matched : {}) })
        yield* ScanStore.use((store) => store.insert(row, auditEntry(row.correlationId)))
        return row
      }),
      page: (tenantId, selection: TimelineSelection<"correlationId" | "identifier" | "credentialId" | "status">) =>
        ScanStore.use((store) => store.list(tenantId, selection)),
      values: ({ correlationId, credentialId, identifier, status }) => ({
        ...{ correlationId, credentialId, identifier, status }
      })
    })
    for (const ofWebhook of [true, false])
      testTimeline(it, ofWebhook ? "a webhook's deliveries" : "all deliveries", {
        put: Effect.fnUntraced(function* ({ account: { tenantId }, choice }: Drawn) {
          const store = yield* DeliveryStore
          const one = draft(
            { tenantId, webhookId: webhookOf(tenantId) },
            choice
              ? { state: "SKIPPED_DISABLED", subjectId: mint("worker") }
              : { kind: "worker.erased", correlationId: "run" }
          )
          yield* store.begin(one, pinged(one))
          // The list of the webhook must not have those of another one.
          const other = draft({ tenantId, webhookId: "another webhook" }, { eventId: one.eventId })
          if (ofWebhook) yield* store.begin(other, pinged(other))
          return Option.getOrThrow(yield* store.find(tenantId, one.id))
        }),
        page: (tenantId, selection: TimelineSelection<DeliveryField>) =>
          DeliveryStore.use((store) => store.list(tenantId, ofWebhook ? webhookOf(tenantId) : null, selection)),
        values: ({ correlationId, eventId, kind, state, subjectId }) => ({
          ...{ eventId, correlationId, subjectId, state, event: kind }
        })
      })
    testTimeline(it, "changes of owners", {
      put: Effect.fnUntraced(function* ({ account: { tenantId }, at }: Drawn) {
        const ownership = { before: noOwners, after: { worker: mint("worker"), applicant: null } }
        const [other, entry] = [
          auditEntry(credentialOf(tenantId)),
          auditEntry(credentialOf(tenantId), { at, ownership })
        ]
        yield* put(Worker, tenantId, created(mint("worker"), workerFields()), { audit: [other, entry], events: [] })
        return { ...entry, ownership }
      }),
      page: (tenantId, selection: TimelineSelection<never>) =>
        EventStore.use((store) => store.ownership(tenantId, credentialOf(tenantId), selection))
    })
  })
}
