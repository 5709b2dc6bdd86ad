import type { CredentialFields } from "@wcs/domain/holding/Credential"
import { ownersIn } from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import type { Owner } from "@wcs/domain/people/Engaged"
import { Worker } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { SqlClient } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { rows, type Script } from "../engine/Script.ts"
import { makeReadAll } from "../resource/ResourceRows.ts"
import { tableOf } from "../resource/ResourceTable.ts"

/** Reads the people who own cards, by their ids. */
export const makeReadOwners = (sql: SqlClient.SqlClient) => {
  const readAll = makeReadAll(sql, dialectOf(sql))
  return function* (
    tenantId: string,
    cards: ReadonlyArray<Stored<CredentialFields>>
  ): Script<ReadonlyMap<string, Owner>> {
    const owners = cards.flatMap(({ fields }) => ownersIn(fields.attributes.owners))
    const idsOf = (type: Owner["type"]) => [
      ...new Set(owners.filter((owner) => owner.type === type).map(({ id }) => id))
    ]
    const workers = yield* rows(readAll(Worker, tenantId, idsOf("worker")))
    const applicants = yield* rows(readAll(Applicant, tenantId, idsOf("applicant")))
    const found: ReadonlyArray<Owner> = [
      ...workers.map((row) => ({ type: "worker", person: tableOf(Worker).decode(row) }) as const),
      ...applicants.map((row) => ({ type: "applicant", person: tableOf(Applicant).decode(row) }) as const)
    ]
    return new Map(found.map((owner) => [owner.person.id, owner]))
  }
}
