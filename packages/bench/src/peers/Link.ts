import { type Answer, noCredential, refusal } from "./Answer.ts"
import type { Caller } from "./Gate.ts"
import { idText } from "./RandomText.ts"
import type { CredentialRow, Store } from "./Store.ts"

export interface Owner {
  readonly type: "worker" | "applicant"
  readonly id: string
}

const forms = { worker: /^wkr_[0-9A-Za-z]{16}$/, applicant: /^app_[0-9A-Za-z]{16}$/ }

/** Whether an id has the form of this type of owner. */
export const isOwnerId = (type: Owner["type"], id: unknown): id is string =>
  typeof id === "string" && forms[type].test(id)

/** The owner in a body, directly or under `to`; an error response if there is none. */
export const readOwner = (body: unknown, requestId: string): Owner | Answer => {
  const isNamed = typeof body === "object" && body !== null && "to" in body
  const owner: unknown = isNamed ? body.to : body
  const within = isNamed ? "to." : ""
  const invalid = (field: string, reason: string) =>
    refusal(400, "INVALID_ARGUMENT", `${within}${field}: ${reason}.`, requestId)
  if (typeof owner !== "object" || owner === null || !("type" in owner)) return invalid("type", "is needed")
  const { type } = owner
  if (type !== "worker" && type !== "applicant") return invalid("type", "must be worker or applicant")
  if (!("id" in owner) || typeof owner.id !== "string") return invalid("id", "is needed")
  return isOwnerId(type, owner.id) ? { type, id: owner.id } : invalid("id", `is no id of type ${type}`)
}

/** The data of a link's event. */
export const eventData = (row: CredentialRow, now: number): string =>
  JSON.stringify({
    credential: {
      id: row.id,
      type: "credential",
      credentialType: row.credential_type,
      owners: { worker: row.worker_id || null, applicant: row.applicant_id || null }
    },
    at: new Date(now).toISOString()
  })

/** The row with the owner in its slot. */
export const linkedTo = (row: CredentialRow, { id, type }: Owner, now: number): CredentialRow => ({
  ...row,
  [`${type}_id`]: id,
  version: row.version + 1,
  updated_at: now
})

const write = (
  store: Store,
  caller: Caller,
  row: CredentialRow,
  owner: Owner,
  requestId: string,
  now: number
): CredentialRow => {
  const { account, tenantId, tokenId } = caller
  const { changes } = store.update[owner.type].run(owner.id, now, tenantId, row.id, row.version)
  if (changes !== 1) throw new Error("the row changed inside the transaction")
  const linked = linkedTo(row, owner, now)
  store.audit.run(tenantId, `aud_${idText()}`, account, tokenId, row.id, requestId, now)
  store.event.run(tenantId, `evt_${idText()}`, row.id, linked.version, eventData(linked, now), now)
  return linked
}

/** The result of a link: write the row, leave it unchanged, or refuse the call. */
type Decision<Row> =
  | { readonly _tag: "Write"; readonly row: Row }
  | { readonly _tag: "Done"; readonly answer: CredentialRow | Answer }

const done = (answer: CredentialRow | Answer) => ({ _tag: "Done", answer }) as const

export const decide = <Row extends CredentialRow>(
  row: Row | undefined,
  isPresent: boolean,
  id: string,
  owner: Owner,
  requestId: string
): Decision<Row> => {
  if (row === undefined || row.deleted_at !== null) return done(noCredential(id, requestId))
  const holder = row[`${owner.type}_id`]
  if (holder === owner.id) return done(row)
  if (holder !== "") {
    const message = `The ${owner.type} slot holds ${holder}. Use transfer to change the owner.`
    return done(refusal(409, "ALREADY_LINKED", message, requestId))
  }
  return isPresent
    ? { _tag: "Write", row }
    : done(refusal(422, "UNPROCESSABLE", `There is no ${owner.type} ${owner.id}.`, requestId))
}

const transact = (
  store: Store,
  caller: Caller,
  id: string,
  owner: Owner,
  requestId: string,
  now: number
): CredentialRow | Answer => {
  const row = store.credential.get(caller.tenantId, id) as CredentialRow | undefined
  const isPresent = store.presence[owner.type].get(caller.tenantId, owner.id) !== undefined
  const decision = decide(row, isPresent, id, owner, requestId)
  return decision._tag === "Write" ? write(store, caller, decision.row, owner, requestId, now) : decision.answer
}

/** Links in one transaction: read the credential and the owner, write slots, audit entry and event, COMMIT. */
export const link = (
  store: Store,
  caller: Caller,
  id: string,
  owner: Owner,
  requestId: string,
  now: number
): CredentialRow | Answer => {
  store.begin.run()
  try {
    const outcome = transact(store, caller, id, owner, requestId, now)
    store.commit.run()
    return outcome
  } catch (error) {
    store.rollback.run()
    throw error
  }
}
