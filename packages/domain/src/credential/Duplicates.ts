import { Effect, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type PrivilegeRules, readOf } from "../access/Privilege.ts"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import { Credential, type CredentialFields } from "../holding/Credential.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import { cardKey } from "../shared/CardNumber.ts"
import type { JsonObject } from "../shared/Json.ts"
import { nameWords } from "../shared/PersonKey.ts"

/** Why two workers may be one person. */
export type Likeness = "EXTERNAL_ID" | "NAME"

type Person = Pick<WorkerFields, "identity" | "source">

const isSameSource = ({ source: one }: Person, { source: other }: Person): boolean => {
  if (one?.externalId === undefined || one.externalId !== other?.externalId) return false
  // An id without a system may be of any.
  return one.sourceSystem === undefined || other.sourceSystem === undefined || one.sourceSystem === other.sourceSystem
}

const isSameName = (one: Person, other: Person): boolean => {
  const { birthDate } = one.identity
  return (
    birthDate !== undefined &&
    birthDate === other.identity.birthDate &&
    nameWords(one.identity.displayName) === nameWords(other.identity.displayName)
  )
}

/** Why two workers may be one person: the same external id, or the same name and birth date. */
export const likenessesOf = (one: Person, other: Person): ReadonlyArray<Likeness> => [
  ...(isSameSource(one, other) ? (["EXTERNAL_ID"] as const) : []),
  ...(isSameName(one, other) ? (["NAME"] as const) : [])
]

/** Whether two workers hold a card of the same type and number. */
export const isSameCard = ({ attributes: one }: CredentialFields, { attributes: other }: CredentialFields): boolean =>
  one.credentialType === other.credentialType &&
  one.identifier !== undefined &&
  other.identifier !== undefined &&
  cardKey(one.identifier) === cardKey(other.identifier) &&
  one.owners.worker !== null &&
  other.owners.worker !== null &&
  one.owners.worker !== other.owners.worker

/** The maximum number of rows that are compared with a new one, the oldest, and of warnings about them. */
const comparedMax = 100
const warnedMax = 5

const texts: Readonly<Record<Likeness, string>> = {
  EXTERNAL_ID: "the same source.externalId",
  NAME: "the same name and birth date"
}

/**
 * Returns functions that warn about a new worker or credential whose person exists already. They find nothing for a
 * caller that may not read it, or if the look-up fails.
 */
export const makeDuplicates = (store: Pick<ResourceStore["Service"], "list">, rules: PrivilegeRules["Service"]) => {
  const found = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    query: Readonly<Record<string, string>>
  ) {
    const selection = ListQuery.parse(resource, { ...query, pageSize: String(comparedMax) }, "")
    return Result.isFailure(selection) ? [] : (yield* store.list(resource, tenantId, selection.success)).items
  })

  const mayRead = (...types: ReadonlyArray<"worker" | "credential">) =>
    Effect.map(Caller, ({ account, privileges }) =>
      Result.isSuccess(rules.authorize(account, privileges, types.map(readOf)))
    )

  /** The row is stored. An answer that the creation failed would make the caller create it again. */
  const orNothing = Effect.catchDefect((defect) =>
    Effect.as(Effect.logError("The look-up of duplicates failed.", defect), [] as ReadonlyArray<string>)
  )

  return {
    /** The warnings about a worker that was just created. */
    ofWorker: Effect.fnUntraced(function* (id: string, person: Person) {
      const { identity, source } = person
      if (!(yield* mayRead("worker"))) return []
      const { tenantId } = yield* Caller
      const others = [
        ...(source?.externalId === undefined ? [] : yield* found(Worker, tenantId, { externalId: source.externalId })),
        ...(identity.birthDate === undefined ? [] : yield* found(Worker, tenantId, { query: identity.displayName }))
      ]
      const distinct = new Map(others.map((other) => [other.id, other.fields]))
      distinct.delete(id)
      return [...distinct]
        .map(([other, fields]) => ({ other, why: likenessesOf(person, fields) }))
        .filter(({ why }) => why.length > 0)
        .slice(0, warnedMax)
        .map(
          ({ other, why }) => `${other} has ${why.map((one) => texts[one]).join(" and ")}: both may be the same person`
        )
    }, orNothing),

    /** The warnings about the number of a credential that was just created. */
    ofCredential: Effect.fnUntraced(function* (id: string, fields: CredentialFields) {
      const { credentialType, identifier, owners } = fields.attributes
      if (identifier === undefined || owners.worker === null || !(yield* mayRead("worker", "credential"))) return []
      const { tenantId } = yield* Caller
      const held: ReadonlyArray<Stored<CredentialFields>> = yield* found(Credential, tenantId, {
        credentialType,
        identifier
      })
      const workers = held
        .filter((other) => other.id !== id && isSameCard(fields, other.fields))
        .filter(({ hidden = [] }) => !hidden.includes("worker_id"))
        .flatMap((other) => other.fields.attributes.owners.worker ?? [])
      return [...new Set(workers)]
        .slice(0, warnedMax)
        .map((worker) => `${worker} has a ${credentialType} with the same number: both may be the same person`)
    }, orNothing)
  }
}
