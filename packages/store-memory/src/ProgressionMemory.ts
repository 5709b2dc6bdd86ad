import type { ChangeRecords } from "@wcs/domain/crud/ChangeRecords"
import type { Advance, Progression } from "@wcs/domain/crud/Progression"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { decidedLimit, decidedLimitOfType, type Holdings } from "@wcs/domain/holding/Holdings"
import type { OwnerReference } from "@wcs/domain/ownership/Ownership"
import { columnValue, type Resource, type Stored } from "@wcs/domain/resource/Resource"
import { openStatuses } from "@wcs/domain/screening/Invitation"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { type TenantTables, tableOf, writeRecords } from "./MemoryTables.ts"

/** The rows of a table about one person, without deleted ones, in order of creation. */
const rowsOf = <Fields extends JsonObject>(
  tables: TenantTables,
  resource: Resource<Fields>,
  { id, type }: OwnerReference
): ReadonlyArray<Stored<Fields>> =>
  ([...tableOf(tables, resource).rows.values()] as Array<Stored<Fields>>)
    .filter((row) => row.deletedAt === null && columnValue(resource, `${type}_id`, row.fields) === id)
    .sort((one, two) => one.createdAt - two.createdAt)

export const holdingsOf = (
  tables: TenantTables,
  person: OwnerReference,
  credentialTypes: ReadonlyArray<string>
): Holdings => {
  const credentials = rowsOf(tables, Credential, person)
  const newest = (type: string) =>
    credentials
      .filter(({ fields }) => fields.attributes.credentialType === type)
      .slice(-decidedLimitOfType(credentialTypes.length))
  return {
    credentials: credentialTypes.flatMap(newest),
    exemptions: rowsOf(tables, Exemption, person).slice(-decidedLimit)
  }
}

const advancesOf = (tables: TenantTables, progression: Progression): ReadonlyArray<Advance> => {
  const { credentialTypes, decide, person, resource, today } = progression
  const isOpen = ({ fields }: Stored) =>
    (openStatuses as ReadonlyArray<string>).includes(columnValue(resource, "status", fields)) &&
    columnValue(resource, "expiry_date", fields) >= today
  const open = rowsOf(tables, resource, person).filter(isOpen)
  return open.length === 0 ? [] : decide(open, holdingsOf(tables, person, credentialTypes(open)))
}

/** Applies a change to open recruitment checks and fetch requests, by the contract of `Progression`. */
export const writeProgressions = (tables: TenantTables, { progressions = [] }: ChangeRecords): void => {
  for (const progression of progressions) {
    for (const { audit, events, next } of advancesOf(tables, progression)) {
      tableOf(tables, progression.resource).rows.set(next.id, next)
      writeRecords(tables, { audit: [audit], events }, () => next.version)
    }
  }
}
