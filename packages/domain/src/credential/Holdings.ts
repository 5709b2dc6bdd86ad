import { Effect, Result } from "effect"
import * as ListQuery from "../resource/ListQuery.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import type { ResourceStore } from "../resource/ResourceStore.ts"
import type { JsonObject } from "../shared/Json.ts"
import { type CredentialFields, letsEngage, readOn } from "./Credential.ts"
import { type ExemptionFields, isInForceOn } from "./Exemption.ts"

/** The credentials and exemptions of one person, without deleted ones. */
export interface Holdings {
  readonly credentials: ReadonlyArray<Stored<CredentialFields>>
  readonly exemptions: ReadonlyArray<Stored<ExemptionFields>>
}

export const noHoldings: Holdings = { credentials: [], exemptions: [] }

/** At most this many credentials, and this many exemptions, of a person are read for one decision. */
export const heldLimit = 1000

/** The exemptions that apply on a day. */
export const inForce = ({ exemptions }: Holdings, today: string): ReadonlyArray<ExemptionFields> =>
  exemptions.map(({ fields }) => fields).filter((fields) => isInForceOn(fields, today))

/** The credential types satisfied on a day: by a credential that lets its owner engage, or by an exemption in force. */
export const satisfiedTypes = (holdings: Holdings, today: string): ReadonlySet<string> =>
  new Set([
    ...holdings.credentials
      .map((credential) => readOn(credential, today).fields)
      .filter(letsEngage)
      .map(({ attributes }) => attributes.credentialType),
    ...inForce(holdings, today).flatMap(({ exemptedCredentialTypes = [] }) => exemptedCredentialTypes)
  ])

/** A page of what somebody holds. */
export interface Held<Fields extends JsonObject> {
  readonly items: ReadonlyArray<Stored<Fields>>
  /** Where the next page begins, or null at the end. */
  readonly nextCursor: string | null
}

/**
 * Makes what reads a page of what a worker holds of a resource with the filter `ownerType` and `ownerId`: deleted ones
 * apart, in the order of creation, 100 at most. One read, by the worker's id.
 */
export const makeHeldBy =
  (store: ResourceStore["Service"]) =>
  <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    worker: string,
    cursor: string | null = null
  ): Effect.Effect<Held<Fields>> =>
    Effect.suspend(() => {
      const query = { ownerType: "worker", ownerId: worker, pageSize: String(ListQuery.maxPageSize) }
      const continued = cursor === null ? query : { ...query, cursor }
      const selection = Result.getOrThrow(ListQuery.parse(resource, continued, ""))
      return Effect.map(store.list(resource, tenantId, selection), (page) => ({
        items: page.items,
        nextCursor: ListQuery.nextCursor(resource, selection, page)
      }))
    })
