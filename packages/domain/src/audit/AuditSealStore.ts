import { Context, type Effect, type Option } from "effect"
import type { AuditSeal } from "./AuditSeal.ts"
import type { LoggedEntry } from "./LoggedEntry.ts"
import type { RecordKind, RecordVersion, VersionKey } from "./RecordVersion.ts"
import type { Mark } from "./SettledPosition.ts"

/** A tenant with audit entries or seals. The entries of the deployment itself have the tenant ''. */
export interface AuditedTenant {
  readonly tenantId: string
  /** The position of the newest visible entry; null if there is none. */
  readonly newest: number | null
  /** The last position of the newest seal; null if there is none. */
  readonly sealedTo: number | null
}

/** The salt of a sealed version. */
export interface SaltOf extends VersionKey {
  readonly salt: string
}

/** The seals of the audit log, and its entries with every stored column. Infrastructure failures die. */
export class AuditSealStore extends Context.Service<
  AuditSealStore,
  {
    /** The newest position, and the transactions that may still write at or below it. Takes no lock. */
    readonly mark: Effect.Effect<Mark>
    /**
     * The tenants with entries or seals after this one, and perhaps others, in order of id. Fewer than `limit` are the
     * last ones. Reads a few index entries for each.
     */
    readonly tenants: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<AuditedTenant>>
    /** The entries of a tenant after one position, or from the first one, up to another, in order of position. */
    readonly entries: (
      tenantId: string,
      range: { readonly after: number | null; readonly upTo: number },
      limit: number
    ) => Effect.Effect<ReadonlyArray<LoggedEntry>>
    /** The newest seal of a tenant. */
    readonly newestSeal: (tenantId: string) => Effect.Effect<Option.Option<AuditSeal>>
    /** The seals of a tenant after a number, in order. */
    readonly seals: (tenantId: string, afterNumber: number, limit: number) => Effect.Effect<ReadonlyArray<AuditSeal>>
    /** The versions of these records after the last sealed one of each, by number, the highest first. No erased ones. */
    readonly unsealedVersions: (
      tenantId: string,
      kind: RecordKind,
      ids: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RecordVersion>>
    /**
     * Stores a seal and the salts of the versions that it names, in one transaction, unless the tenant has a seal of this
     * number. Returns whether it was stored. An erased version keeps no salt.
     */
    readonly insert: (seal: AuditSeal, salts?: ReadonlyArray<SaltOf>) => Effect.Effect<boolean>
  }
>()("@wcs/domain/AuditSealStore") {}
