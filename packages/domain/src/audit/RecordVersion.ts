import { Schema } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import type { Sha256 } from "../shared/Digest.ts"

/** The resources whose versions the store keeps, and the seals of the audit log cover: those that decide who may work. */
export const recordKinds = [
  "worker",
  "credential",
  "exemption",
  "ban",
  "complianceCheck"
] as const satisfies ReadonlyArray<EntityType>
export type RecordKind = (typeof recordKinds)[number]

export const isRecordKind = (type: string): type is RecordKind => recordKinds.some((kind) => kind === type)

const { Int, NullOr, String: Text } = Schema

/** A version of a resource as it is stored, every value. `''` is no owner. Times are in milliseconds since 1970. */
export const RecordVersion = Schema.Struct({
  kind: Schema.Literals(recordKinds).annotate({ description: "Type of the record." }),
  id: Text.annotate({ description: "Id of the record." }),
  version: Int.annotate({ description: "Number of the version." }),
  workerId: Text.annotate({ description: "Id of the worker that it belongs to. Empty if to none." }),
  applicantId: Text.annotate({ description: "Id of the applicant that it belongs to. Empty if to none." }),
  createdAt: Int.annotate({ description: "When the record was created, in milliseconds since 1970." }),
  updatedAt: Int.annotate({ description: "When this version was written, in milliseconds since 1970." }),
  deletedAt: NullOr(Int).annotate({
    description: "When the record was deleted, in milliseconds since 1970. Null if not."
  }),
  document: Text.annotate({ description: "The stored fields as JSON, without the owners of a credential." })
})
export type RecordVersion = typeof RecordVersion.Type

/** The name of a version. */
export type VersionKey = Pick<RecordVersion, "kind" | "id" | "version">

/**
 * A version with the random text that its digest covers too. Seals stay for ever: without that text, somebody who knows
 * the rest of an erased version could find the name by trying names. An erasure removes it together with the version.
 */
export interface SealedVersion {
  readonly version: RecordVersion
  readonly salt: string
}

const fields = Object.keys(RecordVersion.fields) as ReadonlyArray<keyof RecordVersion>

/** Returns the digest of a version of a tenant. Another order of the fields breaks the seals of stored versions. */
export const digestOf = (tenantId: string, { salt, version }: SealedVersion, sha256: Sha256): string =>
  sha256(JSON.stringify(["wcs record 1", tenantId, ...fields.map((field) => version[field]), salt]))

/** A version as a seal names it. `record` is a hash of the organization, the kind and the id: seals show no ids. */
export interface NamedVersion {
  readonly digest: string
  readonly version: number
  readonly record: string
}

/** Returns the name of a record in seals. */
export const recordName = (tenantId: string, { id, kind }: Pick<VersionKey, "kind" | "id">, sha256: Sha256): string =>
  sha256(JSON.stringify(["wcs record name 1", tenantId, kind, id]))

/** Returns a version as the text that a seal names it by. */
export const namedIn = (tenantId: string, sealed: SealedVersion, sha256: Sha256): string =>
  `${digestOf(tenantId, sealed, sha256)} ${sealed.version.version} ${recordName(tenantId, sealed.version, sha256)}`

/** Reads what `namedIn` returns. */
export const readNamed = (text: string): NamedVersion => {
  const [digest = "", version = "", record = ""] = text.split(" ")
  return { digest, version: Number(version), record }
}
