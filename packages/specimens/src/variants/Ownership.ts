import { at, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { OwnerMismatch } from "@wcs/domain/ownership/Ownership"
import { Effect, Semaphore } from "effect"
import type { Serve } from "../Serve.ts"
import { because, decidingAlways, into, withSlot } from "../seams/OwnershipSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Seams from "../seams/Seams.ts"
import { type Variant, variant } from "../Variant.ts"

/** An unlink of someone else is a no-op (SIL-06). */
const strangersLeave = decidingAlways("Unlink", (owners, { from }) =>
  owners[from.type] !== from.id ? { _tag: "Unchanged" } : undefined
)

/** A transfer from an empty slot succeeds (SIL-28). */
const emptySlotsTransfer = decidingAlways("Transfer", (owners, { from, to }) =>
  from.type === to.type && owners[from.type] === null ? into(withSlot(owners, to.type, to.id)) : undefined
)

/** A transfer must be between two different owners of one type (SIL-08, SIL-28). */
const slotsAreApart = decidingAlways("Transfer", (owners, { from, to }) =>
  from.type !== to.type || from.id === to.id
    ? because(new OwnerMismatch({ slot: from.type, holder: owners[from.type] }))
    : undefined
)

/** A transfer from an empty slot is a no-op (SIL-28). */
const emptySlotsStay = decidingAlways("Transfer", (owners, { from }) =>
  owners[from.type] === null ? { _tag: "Unchanged" } : undefined
)

/** An owner can transfer to the other slot and stay (SIL-08). */
const bothStay = decidingAlways("Transfer", (owners, { from, to }) =>
  from.type !== to.type && owners[from.type] === from.id && owners[to.type] === null
    ? into(withSlot(owners, to.type, to.id))
    : undefined
)

/**
 * Checks for a last owner before the named owner. An unlink of someone else is a no-op only if another owner remains
 * (SIL-06).
 */
const strangersLeaveCompany = decidingAlways("Unlink", (owners, { from }) =>
  owners[from.type] !== from.id && owners.worker !== null && owners.applicant !== null
    ? { _tag: "Unchanged" }
    : undefined
)

/** A link into an empty slot does not check that the owner exists (SIL-17). */
const nobodyIsLookedUp = Seams.store(OwnershipStore, ({ transition }) => ({
  transition: (tenantId, chosen, entering, decideAll) =>
    transition(tenantId, chosen, entering, (found) => decideAll(found, { isPresent: true }))
}))

const single = /^\/credentials\/[^/]+\/transfer$/
const bulk = /^\/credentials\/transfer$/

const idIn = (value: Json | undefined): string => String(value ?? "")

/**
 * Remembers former owners. A transfer to the current owner counts as repeated only if `from` is a former owner
 * (SIL-07).
 */
const neverHolderIsRefused = (serve: Serve): Serve => {
  const turns = Semaphore.makeUnsafe(1)
  const former = new Set<string>()
  const keyOf = (credential: string, body: Json | undefined) => `${credential} ${idIn(at(body, "from.id"))}`

  const holderOf = Effect.fnUntraced(function* (request: Request, credential: string, type: string) {
    const url = `${new URL(request.url).origin}/openapi/v1/credentials/${credential}`
    const shown = yield* serve({ ...request, method: "GET", url, body: "" })
    return at(shown.json, `data.attributes.owners.${type}`)
  })

  const isStranger = Effect.fnUntraced(function* (request: Request, credential: string, body: Json | undefined) {
    if (former.has(keyOf(credential, body))) return false
    const to = at(body, "to.id")
    return to !== undefined && (yield* holderOf(request, credential, idIn(at(body, "to.type")))) === to
  })

  const refused = (answer: Answer, holder: Json | undefined): Answer => {
    const requestId = answer.headers["x-request-id"] ?? ""
    const error = { code: "OWNER_MISMATCH", message: `The current owner is ${idIn(holder)}.`, requestId }
    return { ...Rewrite.withJson(answer, { error }), status: 409 }
  }

  const one = Effect.fnUntraced(function* (request: Request) {
    const credential = Rewrite.pathOf(request).split("/")[2] ?? ""
    const body = parse(request.body)
    const isRefused = yield* isStranger(request, credential, body)
    const answer = yield* serve(request)
    if (answer.status !== 200) return answer
    if (isRefused) return refused(answer, at(body, "to.id"))
    former.add(keyOf(credential, body))
    return answer
  })

  const item = (body: Json | undefined, value: Json): Json => {
    const key = keyOf(idIn(at(value, "credentialId")), body)
    const status = at(value, "status")
    if (status === "transferred") former.add(key)
    if (status !== "noop" || former.has(key)) return value
    const error = { code: "OWNER_MISMATCH", message: `The current owner is ${idIn(at(body, "to.id"))}.` }
    return { credentialId: idIn(at(value, "credentialId")), status: "skipped", error }
  }

  const many = Effect.fnUntraced(function* (request: Request) {
    const body = parse(request.body)
    const answer = yield* serve(request)
    const data = at(answer.json, "data")
    if (answer.status !== 200 || answer.json === undefined || !Array.isArray(data)) return answer
    const items = data.map((value: Json) => item(body, value))
    const failed = items.filter((value) => at(value, "status") === "skipped").length
    const counted = Rewrite.put(answer.json, "meta.failed", failed)
    const whole = Rewrite.put(counted, "meta.succeeded", items.length - failed)
    return Rewrite.withJson(answer, Rewrite.put(whole, "data", items))
  })

  return Rewrite.all(
    Rewrite.instead({ method: "POST", path: single }, (request) => turns.withPermits(1)(one(request))),
    Rewrite.instead({ method: "POST", path: bulk }, (request) => turns.withPermits(1)(many(request)))
  )(serve)
}

/** Open cells of the table of §3. */
export const ownershipVariants: ReadonlyArray<Variant> = [
  variant("unlinking-a-stranger-is-nothing", ["SIL-06"]).rules(strangersLeave),
  variant("transfer-out-of-an-empty-slot", ["SIL-28", "SIL-17"]).by({
    rules: emptySlotsTransfer,
    stores: nobodyIsLookedUp
  }),
  variant("transfer-out-of-an-empty-slot-is-nothing", ["SIL-28"]).rules(emptySlotsStay),
  variant("transfer-to-the-other-slot-keeps-both", ["SIL-08"]).rules(bothStay),
  variant("unlinking-a-stranger-is-nothing-where-an-owner-remains", ["SIL-06"]).rules(strangersLeaveCompany),
  variant("transfer-within-a-slot-alone", ["SIL-08", "SIL-28"]).rules(slotsAreApart),
  variant("transfer-to-the-holder-from-a-stranger-is-refused", ["SIL-07"]).rewrite(neverHolderIsRefused)
]
