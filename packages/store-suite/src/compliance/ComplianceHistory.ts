import { assert } from "@effect/vitest"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import * as SoftDelete from "@wcs/domain/resource/SoftDelete"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import { Effect } from "effect"
import fc from "fast-check"
import { find, revise } from "../Fixtures.ts"
import { changeOwner } from "../ownership/Owning.ts"
import * as World from "./ComplianceWorld.ts"

/** A step of a history. Numbers choose among the rows that exist. */
type Step =
  | { readonly _tag: "card"; readonly worker: number; readonly type: number; readonly lastDay: number | undefined }
  | {
      readonly _tag: "transfer" | "expire" | "bar" | "ask" | "decide" | "removeCard"
      readonly card: number
      readonly worker: number
    }
  | { readonly _tag: "exempt"; readonly worker: number; readonly from: number; readonly days: number }
  | { readonly _tag: "endExemption"; readonly exemption: number }
  | { readonly _tag: "ban" | "employ" | "leave" | "removeWorker" | "restoreWorker"; readonly worker: number }
  | { readonly _tag: "end" | "decideBan"; readonly worker: number; readonly days: number }
  | { readonly _tag: "redefine"; readonly check: number; readonly any: boolean; readonly exemptionsCount: boolean }
  | { readonly _tag: "toggle"; readonly check: number }
  | { readonly _tag: "days"; readonly count: number }
  | { readonly _tag: "keep" }

const n = fc.nat(7)

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    _tag: fc.constant("card" as const),
    worker: n,
    type: n,
    lastDay: fc.option(fc.integer({ min: -1, max: 6 }), { nil: undefined })
  }),
  fc.record({ _tag: fc.constantFrom("transfer", "expire", "bar", "ask", "decide", "removeCard"), card: n, worker: n }),
  fc.record({ _tag: fc.constant("exempt" as const), worker: n, from: fc.nat(3), days: fc.nat(3) }),
  fc.record({ _tag: fc.constant("endExemption" as const), exemption: n }),
  fc.record({ _tag: fc.constantFrom("ban", "employ", "leave", "removeWorker", "restoreWorker"), worker: n }),
  fc.record({ _tag: fc.constantFrom("end", "decideBan"), worker: n, days: fc.integer({ min: -1, max: 3 }) }),
  fc.record({ _tag: fc.constant("redefine" as const), check: n, any: fc.boolean(), exemptionsCount: fc.boolean() }),
  fc.record({ _tag: fc.constant("toggle" as const), check: n }),
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("days" as const), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.constant<Step>({ _tag: "keep" }) }
)

/** The rows of a history, and its day. */
export interface History {
  readonly tenant: string
  readonly workers: ReadonlyArray<string>
  readonly checks: ReadonlyArray<string>
  readonly cards: Array<string>
  readonly exemptions: Array<string>
  day: number
}

const pick = (rows: ReadonlyArray<string>, index: number): string | undefined => rows[index % Math.max(1, rows.length)]

const removal = (isRestored: boolean) => (current: Parameters<typeof SoftDelete.remove>[0]) =>
  isRestored ? SoftDelete.restore(current, current.updatedAt + 1) : SoftDelete.remove(current, current.updatedAt + 1)

/** Deletes or restores a row, unless it is so already. */
const setDeleted = Effect.fnUntraced(function* (
  resource: typeof Worker | typeof Credential | typeof Exemption,
  tenant: string,
  id: string | undefined,
  isRestored = false
) {
  const found = id === undefined ? undefined : yield* find<never>(resource as never, tenant, id)
  if (found === undefined || (found.deletedAt === null) === isRestored) return
  yield* revise<never>(resource as never, tenant, found.id, removal(isRestored) as never)
})

const changeCard = Effect.fnUntraced(function* (
  history: History,
  index: number,
  change: Readonly<Record<string, unknown>>
) {
  const id = pick(history.cards, index)
  if (id === undefined) return
  yield* revise(Credential, history.tenant, id, (current) => ({
    ...current,
    version: current.version + 1,
    fields: { attributes: { ...current.fields.attributes, ...change } }
  }))
})

export const employ = (tenant: string, worker: string, employment: NonNullable<WorkerFields["employment"]>) =>
  revise(Worker, tenant, worker, (current) => ({
    ...current,
    version: current.version + 1,
    fields: { ...current.fields, employment }
  }))

export const run = Effect.fnUntraced(function* (history: History, step: Step) {
  const { cards, checks, exemptions, tenant, workers } = history
  const workerAt = (index: number) => pick(workers, index) ?? assert.fail("no worker")
  switch (step._tag) {
    case "card": {
      const lastDay = step.lastDay === undefined ? undefined : history.day + step.lastDay
      const type = World.types[step.type % World.types.length] ?? "WWCC_NSW"
      cards.push(yield* World.putCard(tenant, World.card(workerAt(step.worker), type, lastDay)))
      return
    }
    case "transfer": {
      const id = pick(cards, step.card)
      const found = id === undefined ? undefined : yield* find(Credential, tenant, id)
      const from = found?.fields.attributes.owners.worker
      if (id === undefined || from === null || from === undefined) return
      const to = { type: "worker", id: workerAt(step.worker) } as const
      yield* changeOwner(tenant, id, { _tag: "Transfer", from: { type: "worker", id: from }, to })
      return
    }
    case "expire":
      return yield* changeCard(history, step.card, { expiryDate: World.dayOn(history.day + step.worker - 2) })
    case "bar":
      return yield* changeCard(history, step.card, { eligibility: "MAY_NOT_ENGAGE", statusDetail: "BARRED" })
    case "ask":
      return yield* changeCard(history, step.card, { eligibility: "REVIEW_REQUIRED", statusDetail: "CONDITIONAL" })
    case "decide":
      return yield* changeCard(history, step.card, {
        decision: World.decision(World.dayOn(history.day + step.worker - 1), step.card % 2 === 0)
      })
    case "removeCard":
      return yield* setDeleted(Credential, tenant, pick(cards, step.card))
    case "exempt": {
      const from = history.day + step.from
      exemptions.push((yield* World.putExemption(tenant, workerAt(step.worker), from, from + step.days)).id)
      return
    }
    case "endExemption":
      return yield* setDeleted(Exemption, tenant, pick(exemptions, step.exemption))
    case "ban":
      if (step.worker === 0) yield* World.putBan(tenant, workerAt(step.worker))
      if (step.worker === 1) yield* World.putBan(tenant, workerAt(step.worker), "REVIEW_REQUIRED")
      return
    case "decideBan":
      return yield* World.decideBan(tenant, workerAt(step.worker), {
        outcome: step.days % 2 === 0 ? "MAY_ENGAGE" : "MAY_NOT_ENGAGE",
        endsOn: World.dayOn(history.day + step.days)
      })
    case "employ":
      return yield* employ(tenant, workerAt(step.worker), {
        workerType: step.worker % 2 === 0 ? "EMPLOYEE" : "VOLUNTEER"
      })
    case "leave":
      return yield* employ(tenant, workerAt(step.worker), { status: "TERMINATED" })
    case "end":
      return yield* employ(tenant, workerAt(step.worker), { endDate: World.dayOn(history.day + step.days) })
    case "removeWorker":
      return yield* setDeleted(Worker, tenant, workerAt(step.worker))
    case "restoreWorker":
      return yield* setDeleted(Worker, tenant, workerAt(step.worker), true)
    case "redefine": {
      const { any, exemptionsCount } = step
      const mode = any ? ("ANY" as const) : ("ALL" as const)
      const requirement = { mode, exemptionsCount, credentialTypes: World.types.slice(0, 2) }
      yield* revise(ComplianceCheck, tenant, pick(checks, step.check) ?? "", (current) => ({
        ...current,
        version: current.version + 1,
        fields: { ...current.fields, requirement }
      }))
      return
    }
    case "toggle":
      yield* revise(ComplianceCheck, tenant, pick(checks, step.check) ?? "", (current) => ({
        ...current,
        version: current.version + 1,
        fields: { ...current.fields, enabled: !current.fields.enabled }
      }))
      return
    case "days":
      history.day += step.count
      return
    case "keep":
      yield* World.keepNext(tenant, history.day)
  }
})

/** The enabled checks, in the order of the matrix. */
export const enabledIn = Effect.fnUntraced(function* ({ checks, tenant }: History) {
  const found = yield* Effect.forEach(checks, (id) => find(ComplianceCheck, tenant, id))
  return found.flatMap((row) => (row?.fields.enabled ? [row.id] : []))
})

/** Compares all reads with `evaluate`. What is kept must not matter. */
export const compare = Effect.fnUntraced(function* (history: History, text: string) {
  const { day, tenant } = history
  const enabled = yield* enabledIn(history)
  const expected = yield* World.evaluated(tenant, day, enabled)
  if (enabled.length > 0) assert.deepStrictEqual<unknown>(yield* World.matrix(tenant, day), expected, text)
  const living = Object.keys(expected).sort()
  const modelOf = (checks: ReadonlyArray<string>) => {
    const cells = (id: string) => expected[id] as ReadonlyArray<{ readonly complianceCheckId: string; result: string }>
    const passes = (id: string) =>
      cells(id).every(({ complianceCheckId, result }) => result === "PASS" || !checks.includes(complianceCheckId))
    return { PASS: living.filter(passes), FAIL: living.filter((id) => !passes(id)) }
  }
  assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, day), modelOf(enabled), text)
  const first = enabled.slice(0, 1)
  if (first.length === 0) return expected
  assert.deepStrictEqual<unknown>(yield* World.filtered(tenant, day, 2, first), modelOf(first), `${text} by ${first}`)
  return expected
})
