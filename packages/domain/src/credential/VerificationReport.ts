import { Array as Arr, Clock, Context, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { Caller } from "../access/Caller.ts"
import { makeHeldBy } from "../crud/HeldBy.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Credential, type CredentialFields, isVerifiable, readOn } from "../holding/Credential.ts"
import { CodeOfType, verifiableCodes } from "../holding/CredentialType.ts"
import { EligibilityWord, eligibilities, StatusDetailWord } from "../holding/Verification.ts"
import { engagementOf, engagements, Worker, type WorkerFields, workerStatuses } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import type { Stored } from "../resource/Resource.ts"
import { unpaged } from "../resource/WholeList.ts"
import { dayAt, momentAt } from "../shared/CalendarDay.ts"
import { CredentialId, WorkerId } from "../shared/Id.ts"
import { CalendarDate, fromRfc3339 } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { moreHeld } from "./Workers.ts"

/** The maximum number of workers on a page of the report. */
export const reportWorkers = 50

/** The credentials of a worker on a page, as with `include=credentials`. The whole report has all. */
const heldMost = ListQuery.maxPageSize

/** The workers whose credentials are in memory together, up to `heldMost` each. */
const workersPerRead = 10

const orNull = <S extends Schema.Top>(schema: S, description: string) => Schema.NullOr(schema).annotate({ description })

/**
 * What an auditor asks about a worker: name and birth date, number, day of verification, outcome, expiry, and whether the
 * worker is paid (DECISIONS.md#reports). One row for each credential of a verifiable type, or one without a credential.
 */
export const VerificationRow = Schema.Struct({
  workerId: WorkerId.annotateKey({ description: "Id of the worker." }),
  externalId: orNull(Schema.String, "`source.externalId` of the worker."),
  displayName: Schema.String.annotate({ description: "`identity.displayName` of the worker." }),
  birthDate: orNull(CalendarDate, "Date of birth of the worker, or else of the holder on the card."),
  engagement: orNull(Schema.Literals(engagements), "Whether the worker is paid, by `employment.workerType`."),
  workerStatus: orNull(Schema.Literals(workerStatuses), "`employment.status` of the worker."),
  credentialId: orNull(CredentialId, "Id of the credential. Null if the worker has none of a verifiable type."),
  credentialType: orNull(CodeOfType, "Type of the credential."),
  identifier: orNull(Schema.String, "Number of the card or registration."),
  verifiedOn: orNull(
    CalendarDate,
    "Day in the tenant's time zone on which a register or reviewer last gave a verdict. Null before the first one."
  ),
  eligibility: orNull(EligibilityWord, "Outcome as of today, as `GET /credentials` shows it."),
  statusDetail: orNull(StatusDetailWord, "Reason of `eligibility`."),
  expiryDate: orNull(CalendarDate, "Last valid day of the credential.")
})
export type VerificationRow = typeof VerificationRow.Type

/** The columns of the report, in order. */
export const reportColumns = Object.keys(VerificationRow.fields) as ReadonlyArray<keyof VerificationRow>

/** The filters of rows with their values. All others choose workers, as in their list. */
const rowFilters = {
  credentialType: verifiableCodes,
  eligibility: eligibilities,
  workerStatus: workerStatuses
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>
type RowFilter = keyof typeof rowFilters

/** The asked values of the row filters. */
export type Asked = Readonly<Partial<Record<RowFilter, string>>>

const isRowFilter = (field: string): field is RowFilter => Object.hasOwn(rowFilters, field)

/** Returns the row filters of a query, and the other parameters. */
const parseRowFilters = (query: ListQuery.Query) =>
  Result.gen(function* () {
    const asked: Partial<Record<RowFilter, string>> = {}
    const others: Record<string, string | ReadonlyArray<string>> = {}
    for (const [field, value] of Object.entries(query)) {
      if (!isRowFilter(field)) others[field] = value
      else if (typeof value === "string") asked[field] = yield* ListQuery.among(field, rowFilters[field], value)
      else return yield* Result.fail(new InvalidArgument({ field, reason: ListQuery.repeated }))
    }
    return { asked, others }
  })

/** The day of the report, and the zone in which a verification has its day. */
interface Calendar {
  readonly today: string
  readonly timeZone: string
}

const verifiedOn = ({ attributes }: CredentialFields, { timeZone }: Calendar): string | null => {
  const at = attributes.lastVerifiedAt === undefined ? undefined : fromRfc3339(attributes.lastVerifiedAt)
  return at === undefined ? null : dayAt(at, timeZone)
}

/** The row of a worker with a credential, or without one. */
export const rowOf = (
  worker: Stored<WorkerFields>,
  credential: Stored<CredentialFields> | undefined,
  calendar: Calendar
): VerificationRow => {
  const { employment, identity, source } = worker.fields
  const read = credential === undefined ? undefined : readOn(credential, calendar.today).fields
  return {
    workerId: worker.id,
    externalId: source?.externalId ?? null,
    displayName: identity.displayName,
    birthDate: identity.birthDate ?? read?.attributes.holder?.birthDate ?? null,
    engagement: engagementOf(employment?.workerType) ?? null,
    workerStatus: employment?.status ?? null,
    credentialId: credential?.id ?? null,
    credentialType: read?.attributes.credentialType ?? null,
    identifier: read?.attributes.identifier ?? null,
    verifiedOn: read === undefined ? null : verifiedOn(read, calendar),
    eligibility: read?.attributes.eligibility ?? null,
    statusDetail: read?.attributes.statusDetail ?? null,
    expiryDate: read?.attributes.expiryDate ?? null
  }
}

const counts = ({ fields }: Stored<CredentialFields>, { credentialType }: Asked): boolean =>
  isVerifiable(fields) && (credentialType === undefined || credentialType === fields.attributes.credentialType)

/**
 * The rows of a worker with these credentials. Without a credential that counts, there is one row without a credential:
 * a person who was never verified must not be missing. `isWithout` is false if other credentials of the worker count.
 */
export const rowsOf = (
  worker: Stored<WorkerFields>,
  credentials: ReadonlyArray<Stored<CredentialFields>>,
  asked: Asked,
  calendar: Calendar,
  isWithout = true
): ReadonlyArray<VerificationRow> => {
  if (asked.workerStatus !== undefined && asked.workerStatus !== worker.fields.employment?.status) return []
  const counting = credentials.filter((credential) => counts(credential, asked))
  const shown = counting.length === 0 && isWithout ? [undefined] : counting
  return shown
    .map((credential) => rowOf(worker, credential, calendar))
    .filter(({ eligibility }) => asked.eligibility === undefined || asked.eligibility === eligibility)
}

/** The report of verifications, for auditors. Read only. */
export class VerificationReport extends Context.Service<
  VerificationReport,
  {
    /** Returns the rows of a page of workers. */
    readonly page: (query: ListQuery.Query) => Effect.Effect<ShownPage<VerificationRow>, InvalidArgument, Caller>
    /**
     * Returns the rows of all workers that match in pages, which are read while the stream is consumed. A page can be
     * empty. Takes the parameters of `page`, except those of paging.
     */
    readonly all: (
      query: ListQuery.Query
    ) => Effect.Effect<Stream.Stream<ReadonlyArray<VerificationRow>>, InvalidArgument, Caller>
  }
>()("@wcs/domain/VerificationReport") {}

const parse = Effect.fnUntraced(function* (query: ListQuery.Query) {
  const { tenantId, timeZone } = yield* Caller
  const calendar: Calendar = { today: momentAt(yield* Clock.currentTimeMillis, timeZone).today, timeZone }
  const { asked, others } = yield* Effect.fromResult(parseRowFilters(query))
  const selection = yield* Effect.fromResult(ListQuery.parse(Worker, others, calendar.today))
  return {
    tenantId,
    asked,
    calendar,
    selection: { ...selection, pageSize: Math.min(selection.pageSize, reportWorkers) }
  }
})

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const heldBy = makeHeldBy(store)

  /** Returns each worker with the oldest credentials, and whether these are all. */
  const withHeld = Effect.fnUntraced(function* (tenantId: string, workers: ReadonlyArray<Stored<WorkerFields>>) {
    const all: Array<{
      readonly worker: Stored<WorkerFields>
      readonly credentials: ReadonlyArray<Stored<CredentialFields>>
      readonly isWhole: boolean
    }> = []
    for (const some of Arr.chunksOf(workers, workersPerRead)) {
      const ids = some.map(({ id }) => id)
      const found = yield* store.heldByEach(Credential, tenantId, ids, heldMost + 1)
      for (const worker of some) {
        const credentials = found.get(worker.id) ?? []
        all.push({ worker, credentials: credentials.slice(0, heldMost), isWhole: credentials.length <= heldMost })
      }
    }
    return all
  })

  /** The rows of a worker with many credentials, read page by page. */
  const rowsOfMany = (
    { asked, calendar, tenantId }: Effect.Success<ReturnType<typeof parse>>,
    worker: Stored<WorkerFields>
  ) =>
    Stream.paginate({ cursor: null as string | null, isWithout: true }, ({ cursor, isWithout }) =>
      Effect.map(heldBy(Credential, tenantId, worker.id, cursor), ({ items, nextCursor }) => {
        const stillWithout = isWithout && !items.some((credential) => counts(credential, asked))
        const rows = rowsOf(worker, items, asked, calendar, stillWithout && nextCursor === null)
        const next = nextCursor === null ? Option.none() : Option.some({ cursor: nextCursor, isWithout: stillWithout })
        return [[rows], next] as const
      })
    )

  return VerificationReport.of({
    page: Effect.fn("VerificationReport.page")(function* (query) {
      const { asked, calendar, selection, tenantId } = yield* parse(query)
      const page = yield* store.list(Worker, tenantId, selection)
      const held = yield* withHeld(tenantId, page.items)
      return {
        documents: held.flatMap(({ credentials, isWhole, worker }) =>
          rowsOf(worker, credentials, asked, calendar, isWhole)
        ),
        pageSize: selection.pageSize,
        nextCursor: ListQuery.nextCursor(Worker, selection, page),
        total: page.total,
        warnings: held.flatMap(({ isWhole, worker }) => (isWhole ? [] : [moreHeld(worker.id)]))
      }
    }),

    all: Effect.fnUntraced(function* (query) {
      yield* Effect.fromResult(unpaged(query))
      const parsed = yield* parse(query)
      const { asked, calendar, tenantId } = parsed
      const first: ListQuery.Selection = { ...parsed.selection, pageSize: reportWorkers }
      return Stream.paginate(first, (selection) =>
        Effect.gen(function* () {
          const page = yield* store.list(Worker, tenantId, selection)
          const last = page.hasMore ? page.items.at(-1) : undefined
          const next =
            last === undefined
              ? Option.none<ListQuery.Selection>()
              : Option.some({ ...selection, after: ListQuery.cursorAfter(Worker, selection.sort, last) })
          return [[yield* withHeld(tenantId, page.items)], next] as const
        })
      ).pipe(
        Stream.flatMap((held) => {
          const rows = ({ credentials, worker }: (typeof held)[number]) => rowsOf(worker, credentials, asked, calendar)
          return held.every(({ isWhole }) => isWhole)
            ? Stream.succeed(held.flatMap(rows))
            : Stream.flatMap(Stream.fromArray(held), (one) =>
                one.isWhole ? Stream.succeed(rows(one)) : rowsOfMany(parsed, one.worker)
              )
        })
      )
    })
  })
})

export const layer = Layer.effect(VerificationReport, make)
