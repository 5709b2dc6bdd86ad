import type { ChangeRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import type { VerificationDraft } from "@wcs/domain/holding/VerificationRecord"
import { partitionOf } from "@wcs/domain/lease/Partition"
import type { Stored } from "@wcs/domain/resource/Resource"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import {
  type Call,
  type CallBasis,
  type Conclusion,
  type DueRun,
  type RunAuthority,
  type RunBasis,
  VerificationStore
} from "@wcs/domain/verification/VerificationStore"
import { inTurn } from "@wcs/domain/verification/VerificationTurns"
import { Effect, Layer, Option, Result } from "effect"
import {
  isOpen,
  MemoryTables,
  openOf,
  rowOf,
  type TenantTables,
  tableOf,
  type VerificationRun,
  writeRecords
} from "./MemoryTables.ts"
import { writeProgressions } from "./ProgressionMemory.ts"
import { seriesPage } from "./SeriesPage.ts"

/** The runs of a tenant with a due time. */
const runsOf = (tenantId: string, timeZone: string, tables: TenantTables) =>
  [...tables.runs].flatMap(([credentialId, { attempts, dueAt }]) => {
    if (dueAt === null) return []
    const credential = Option.fromUndefinedOr(rowOf<CredentialFields>(tables, Credential, credentialId))
    const credentialType = Option.match(credential, {
      onNone: () => "",
      onSome: ({ fields }) => fields.attributes.credentialType
    })
    return [
      {
        tenantId,
        credentialId,
        credentialType,
        credential,
        dueAt,
        attempt: attempts + 1,
        timeZone,
        traceparent: null
      } satisfies DueRun
    ]
  })

const isAuthorized = ({ attempts, dueAt }: VerificationRun, authority: RunAuthority): boolean =>
  authority._tag === "Worker" ? dueAt === authority.run.dueAt && attempts + 1 === authority.run.attempt : dueAt === null

/** Stores the credential and its records. */
const writeNext = (
  tables: TenantTables,
  { credential }: Pick<RunBasis, "credential">,
  { next, records }: { readonly next: Stored<CredentialFields> | undefined; readonly records: ChangeRecords }
) => {
  if (next !== undefined) {
    const version = Option.match(credential, { onNone: () => 0, onSome: (current) => current.version })
    if (next.version <= version) throw new Error(`${next.id} has version ${next.version}, and had ${version}`)
    tableOf(tables, Credential).rows.set(next.id, next)
  }
  writeRecords(tables, records, (subjectId) => rowOf(tables, Credential, subjectId)?.version ?? 0)
  writeProgressions(tables, records)
}

const begin = <E, Decided extends Call>(
  tables: TenantTables,
  credentialId: string,
  decide: (basis: CallBasis) => Result.Result<Decided, E>
): Result.Result<Decided, E> => {
  const credential = Option.fromUndefinedOr(rowOf<CredentialFields>(tables, Credential, credentialId))
  const basis = { credential, openCount: openOf(tables, credentialId).length }
  return Result.map(decide(basis), (decided) => {
    writeNext(tables, basis, decided)
    return decided
  })
}

const conclude = <E>(
  tables: TenantTables,
  credentialId: string,
  authority: RunAuthority,
  decide: (basis: RunBasis) => Result.Result<Conclusion, E>
): Result.Result<boolean, E> => {
  const run = tables.runs.get(credentialId)
  if (run === undefined || !isAuthorized(run, authority)) return Result.succeed(false)
  const credential = Option.fromUndefinedOr(rowOf<CredentialFields>(tables, Credential, credentialId))
  const basis = { credential, open: openOf(tables, credentialId) }
  return Result.map(decide(basis), (conclusion) => {
    if (conclusion._tag !== "Postponed") writeNext(tables, basis, conclusion)
    switch (conclusion._tag) {
      case "Postponed": {
        const { attempts, dueAt } = conclusion
        tables.runs.set(credentialId, { attempts, dueAt })
        return true
      }
      case "AwaitsReview":
        tables.runs.set(credentialId, { ...run, dueAt: null })
        return true
      case "Concluded": {
        const { outcome } = conclusion
        for (const [index, verification] of tables.verifications.entries()) {
          if (basis.open.includes(verification)) tables.verifications[index] = { ...verification, outcome }
        }
        tables.runs.delete(credentialId)
        return true
      }
    }
  })
}

export const make = Effect.map(MemoryTables, ({ access, of, tenants }) => {
  const awaitsReview = (tables: TenantTables, verification: VerificationDraft): boolean =>
    isOpen(verification) && tables.runs.get(verification.credentialId)?.dueAt === null

  return VerificationStore.of({
    begin: Effect.fn("VerificationStore.begin")((tenantId, credentialId, decide) =>
      Effect.suspend(() => Effect.fromResult(begin(of(tenantId), credentialId, decide)))
    ),

    readDue: Effect.fn("VerificationStore.readDue")(({ inFlight, limits, now, partitions }) =>
      Effect.sync(() => {
        const isInFlight = new Set(inFlight.map(({ credentialId }) => credentialId))
        const open = [...tenants]
          .flatMap(([tenantId, tables]) =>
            runsOf(tenantId, access.tenants.get(tenantId)?.timeZone ?? defaultTimeZone, tables)
          )
          .filter(({ credentialId }) => !isInFlight.has(credentialId) && partitions.includes(partitionOf(credentialId)))
        const later = open.map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > now)
        return {
          runs: inTurn(
            open.filter(({ dueAt }) => dueAt <= now),
            limits,
            inFlight
          ),
          nextDueAt: later.length === 0 ? null : Math.min(...later)
        }
      })
    ),

    conclude: Effect.fn("VerificationStore.conclude")((tenantId, credentialId, authority, decide) =>
      Effect.suspend(() => Effect.fromResult(conclude(of(tenantId), credentialId, authority, decide)))
    ),

    find: Effect.fn("VerificationStore.find")((tenantId, id) =>
      Effect.sync(() => {
        const tables = of(tenantId)
        return Option.fromUndefinedOr(tables.verifications.find((verification) => verification.id === id)).pipe(
          Option.map((verification) => ({ verification, awaitsReview: awaitsReview(tables, verification) }))
        )
      })
    ),

    list: Effect.fn("VerificationStore.list")((tenantId, credentialId, selection) =>
      Effect.sync(() =>
        seriesPage(
          of(tenantId).verifications.filter((verification) => verification.credentialId === credentialId),
          selection
        )
      )
    )
  })
})

export const layer: Layer.Layer<VerificationStore, never, MemoryTables> = Layer.effect(VerificationStore, make)
