import { inSnapshot } from "@wcs/deployment/stores/BackupConnection"
import { type Place, readPlaces } from "@wcs/store-sql/cells/Directory"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Finding, findingsOf } from "./Finding.ts"

const { failed, warning } = findingsOf("moves")

/** The finding about a tenant whose move is not over. None for other tenants. */
export const findingOf = ({ cell, other, step, tenantId }: Place): ReadonlyArray<Finding> => {
  const idle = `If no wcs move-tenant runs for ${tenantId}`
  switch (step) {
    case "settled":
      return []
    case "copying":
      return [
        warning(`${tenantId} is being copied to ${other}. ${idle}, repeat it with --to ${other}, or use --cancel.`)
      ]
    case "frozen":
      return [failed(`${tenantId} gets 503. ${idle}, repeat it with --to ${other}.`)]
    case "switched":
      return [
        warning(`${tenantId} is in ${cell}, and its rows are also in ${other}. ${idle}, repeat it with --to ${cell}.`)
      ]
    case "left":
      return [
        warning(
          `${other} keeps the rows that ${tenantId} had when it moved, also of people erased since: run wcs move-tenant ${tenantId} --finish.`
        )
      ]
  }
}

/** The moves of tenants that are not over. None if the directory cannot be read: another check says why. */
export const moves = inSnapshot(SqlClient.SqlClient.use(readPlaces)).pipe(
  Effect.map((places) => places.flatMap(findingOf)),
  Effect.orElseSucceed((): ReadonlyArray<Finding> => [])
)
