import {
  type Chosen,
  type FoundCredential,
  OwnershipStore,
  type Transition,
  type Transitioned
} from "@wcs/domain/credential/OwnershipStore"
import { Credential, type CredentialFields, slotsOf } from "@wcs/domain/holding/Credential"
import type { OwnerReference } from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import { Effect, Layer, Result } from "effect"
import { MemoryTables, rowOf, type TenantTables, tableOf, writeRecords } from "./MemoryTables.ts"
import { writeProgressions } from "./ProgressionMemory.ts"
import { compareText } from "./RowOrder.ts"

const candidates = (tables: TenantTables, chosen: Chosen): ReadonlyArray<Stored<CredentialFields>> => {
  if (chosen._tag === "Ids") {
    return [...new Set(chosen.ids)].flatMap((id) => rowOf(tables, Credential, id) ?? [])
  }
  const rows = [...tableOf(tables, Credential).rows.values()] as Array<Stored<CredentialFields>>
  return rows.filter(({ fields }) => fields.attributes.owners[chosen.owner.type] === chosen.owner.id)
}

const choose = (tables: TenantTables, chosen: Chosen): ReadonlyArray<Stored<CredentialFields>> =>
  candidates(tables, chosen)
    .filter(({ deletedAt }) => deletedAt === null)
    .sort((one, two) => compareText(one.id, two.id))
    .slice(0, chosen._tag === "HeldBy" ? chosen.limit : undefined)

const isPresent = (tables: TenantTables, { id, type }: OwnerReference): boolean => {
  const owner = type === "worker" ? rowOf(tables, Worker, id) : rowOf(tables, Applicant, id)
  return owner !== undefined && owner.deletedAt === null
}

const transition = <Answer, E>(
  tables: TenantTables,
  chosen: Chosen,
  entering: OwnerReference | undefined,
  decide: (found: ReadonlyArray<FoundCredential>, enteringIsPresent: boolean) => Result.Result<Transition<Answer>, E>
): Result.Result<Transitioned<Answer>, E> => {
  const found = choose(tables, chosen)
  const shown = found.map((credential) => ({ ...slotsOf(credential), stored: () => credential }))
  const decision = decide(shown, entering === undefined || isPresent(tables, entering))
  return Result.map(decision, ({ answer, at, changes, records }) => {
    const after = new Map(
      found.map((credential) => {
        const owners = changes.get(credential.id)
        if (owners === undefined) return [credential.id, credential]
        const fields = { attributes: { ...credential.fields.attributes, owners } }
        return [credential.id, { ...credential, version: credential.version + 1, updatedAt: at, fields }]
      })
    )
    const stranger = [...changes.keys()].find((id) => !after.has(id))
    if (stranger !== undefined) throw new Error(`the decision changes ${stranger}, which was not selected`)
    for (const [id, credential] of after) tableOf(tables, Credential).rows.set(id, credential)
    writeRecords(tables, records, (subjectId) => rowOf(tables, Credential, subjectId)?.version ?? 0)
    writeProgressions(tables, records)
    return { answer, credential: (id) => after.get(id) }
  })
}

export const make = Effect.map(MemoryTables, (tables) =>
  OwnershipStore.of({
    transition: Effect.fn("OwnershipStore.transition")((tenantId, chosen, entering, decide) =>
      Effect.suspend(() => Effect.fromResult(transition(tables.of(tenantId), chosen, entering, decide)))
    )
  })
)

export const layer: Layer.Layer<OwnershipStore, never, MemoryTables> = Layer.effect(OwnershipStore, make)
