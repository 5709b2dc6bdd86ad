import {
  type Chosen,
  type FoundCredential,
  OwnershipStore,
  type Transition
} from "@wcs/domain/credential/OwnershipStore"
import type { ChangeRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential } from "@wcs/domain/holding/Credential"
import {
  type BatchCommand,
  type BatchItem,
  type Command,
  CredentialNotFound,
  decide,
  decideBatch,
  enteringOwner,
  type Owners,
  type Refusal
} from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { Effect, Result } from "effect"
import {
  applicantFields,
  auditEntry,
  created,
  credentialFields,
  eventDraft,
  mint,
  put,
  start,
  workerFields
} from "../Fixtures.ts"

/** Stores a worker. */
export const putWorker = Effect.fnUntraced(function* (tenant: string) {
  return (yield* put(Worker, tenant, created(mint("worker"), workerFields()))).id
})

/** Stores an applicant. */
export const putApplicant = Effect.fnUntraced(function* (tenant: string) {
  return (yield* put(Applicant, tenant, created(mint("applicant"), applicantFields()))).id
})

/** Stores a credential with these owners. */
export const putCredential = Effect.fnUntraced(function* (tenant: string, owners: Partial<Owners>) {
  return (yield* put(Credential, tenant, created(mint("credential"), credentialFields(owners)))).id
})

/** The records of a change of owners: an audit entry and an event per changed credential, with the owners before it. */
export const recordsOf = (
  changes: ReadonlyMap<string, Owners>,
  found: ReadonlyArray<Pick<FoundCredential, "id" | "owners">> = []
): ChangeRecords => ({
  audit: [...changes.keys()].map((id) => auditEntry(id)),
  events: [...changes].map(([id, owners]) => {
    const before = found.find((one) => one.id === id)?.owners ?? null
    return eventDraft(id, "credential.updated", { data: { before, owners } })
  })
})

const transitionTo = <Answer>(
  answer: Answer,
  changes: ReadonlyMap<string, Owners>,
  found: ReadonlyArray<FoundCredential>,
  at = start + 1
): Transition<Answer> => ({ answer, changes, records: recordsOf(changes, found), at })

/** A refusal as text: its tag and the id that it names. */
export const refusalText = (refusal: Refusal | Exclude<BatchItem["reason"], undefined>): string => {
  switch (refusal._tag) {
    case "AlreadyLinked":
    case "OwnerMismatch":
    case "LastOwner":
      return `${refusal._tag} ${refusal.holder}`
    case "OwnerNotFound":
      return `${refusal._tag} ${refusal.owner.id}`
    case "CredentialNotFound":
    case "MalformedCredentialId":
      return refusal._tag
  }
}

/** Runs one command on one credential as the use case does. The answer is `changed`, `unchanged` or a refusal. */
export const changeOwner = Effect.fnUntraced(function* (tenant: string, id: string, command: Command, at?: number) {
  const store = yield* OwnershipStore
  return yield* store
    .transition(
      tenant,
      { _tag: "Ids", ids: [id] },
      enteringOwner(command),
      ([slots], facts): Result.Result<Transition<string>, Refusal | CredentialNotFound> => {
        if (slots === undefined) return Result.fail(new CredentialNotFound({ credentialId: id }))
        const decision = decide(slots.owners, command, facts)
        switch (decision._tag) {
          case "Changed":
            return Result.succeed(transitionTo("changed", new Map([[id, decision.owners]]), [slots], at))
          case "Unchanged":
            return Result.succeed(transitionTo("unchanged", new Map(), []))
          case "Refused":
            return Result.fail(decision.reason)
        }
      }
    )
    .pipe(Effect.match({ onSuccess: ({ answer }) => answer, onFailure: refusalText }))
})

const itemText = ({ reason, status }: BatchItem): string => {
  if (reason !== undefined) return refusalText(reason)
  return status === "noop" ? "unchanged" : "changed"
}

/** Runs one command on many credentials as the use case does. Returns each item's id with an answer as of `changeOwner`. */
export const changeOwners = Effect.fnUntraced(function* (tenant: string, chosen: Chosen, command: BatchCommand) {
  const store = yield* OwnershipStore
  const done = yield* store.transition(tenant, chosen, command.to, (found, facts) => {
    const ids = chosen._tag === "Ids" ? chosen.ids : found.map(({ id }) => id)
    const slots = new Map(found.map(({ id, owners }) => [id, owners]))
    const { changes, items } = decideBatch(ids, slots, command, facts)
    return Result.succeed(transitionTo(items, changes, found))
  })
  return done.answer.map((item) => [item.credentialId, itemText(item)] as const)
})
