import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { SelectFilter } from "../listing/Filters.tsx"
import { ListExport } from "../listing/ListExport.tsx"
import { type Column, Table } from "../listing/Table.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Time } from "../widgets/Time.tsx"
import { type Schedule, ScheduleState } from "./Schedule.tsx"
import { type Register, type Source, SourceBadge, WayBadge } from "./SourceState.tsx"

/** A register with the source of the organization, if it has one. */
interface Row extends Register {
  readonly source: Source | undefined
  readonly schedule: Schedule | undefined
}

const rowsOf = (
  registers: ReadonlyArray<Register>,
  sources: ReadonlyArray<Source>,
  schedules: ReadonlyArray<Schedule>
): ReadonlyArray<Row> =>
  registers.map((register) => ({
    ...register,
    source: sources.find(({ id }) => id === register.sourceId),
    schedule: schedules.find(({ credentialTypes }) => credentialTypes.includes(register.credentialType))
  }))

const needsAttention = ({ askedBy, state }: Register): boolean => askedBy !== "DEPLOYMENT" && state !== "OK"

const choices = [
  ["", "all registers"],
  ["attention", "those that need attention"],
  ["own", "those with a source of your own"],
  ["default", "those asked by the default source"]
] as const

const selections: Readonly<Record<string, (row: Row) => boolean>> = {
  attention: needsAttention,
  own: ({ askedBy }) => askedBy === "TENANT",
  default: ({ askedBy }) => askedBy === "DEPLOYMENT"
}

const SetUp = ({ askedBy, credentialType, displayName }: Row) =>
  useMay()("verificationSource:CREATE") && askedBy !== "TENANT" ? (
    <a href={`/console/verification-sources/new?credentialType=${credentialType}`} aria-label={`Set up ${displayName}`}>
      Set up
    </a>
  ) : null

const columns: ReadonlyArray<Column<Row>> = [
  {
    heading: "Register",
    cell: ({ displayName, sourceId }) =>
      sourceId === null ? displayName : <a href={`/console/verification-sources/${sourceId}`}>{displayName}</a>
  },
  {
    heading: "State",
    cell: ({ source, ...register }) => (source === undefined ? <WayBadge {...register} /> : <SourceBadge {...source} />)
  },
  {
    heading: "Asked by",
    cell: ({ askedBy, needsAccount, source }) => {
      if (source !== undefined) return <code>{source.url}</code>
      if (askedBy === "DEPLOYMENT") return "the service's own register, which its operators set up"
      return needsAccount ? "nobody: it needs an account of your organization" : "nobody"
    }
  },
  { heading: "Scheduled checks", cell: ({ schedule }) => <ScheduleState schedule={schedule} /> },
  {
    heading: "Last success",
    cell: ({ source }) => (source === undefined ? null : <Time at={source.lastSuccessAt} />)
  },
  {
    heading: "Last fault",
    cell: ({ source }) =>
      source === undefined ? null : source.lastFault === null ? (
        <span class="quiet">none</span>
      ) : (
        <>
          {source.lastFault.message} <Time at={source.lastFault.at} />
        </>
      )
  },
  { heading: "Change", cell: (row) => <SetUp {...row} /> }
]

/** Says why a source is needed, and for which registers. */
const NoSources = ({ registers }: { readonly registers: ReadonlyArray<Register> }) => {
  const needing = registers.filter(({ needsAccount }) => needsAccount)
  const isAsked = needing.every(({ askedBy }) => askedBy === "DEPLOYMENT")
  return (
    <Empty title="Your organization has no source of its own.">
      <p>
        A source is the gateway by which your organization asks one register. These registers answer only an account of
        the employer, and two organizations never share one:
      </p>
      <ul>
        {needing.map(({ credentialType, displayName }) => (
          <li key={credentialType}>{displayName}</li>
        ))}
      </ul>
      <p>
        {isAsked
          ? "At present the default source of this service answers for all registers. A source of your own takes its place."
          : "Without a source, their cards end as “source not configured”. The default source of this service asks the other registers."}
      </p>
    </Empty>
  )
}

/** The registers, by which source each is asked, and whether it answers. */
export const Sources = () => {
  const [{ show = "" }] = useUrlState()
  const registers = useRead("GET /verification-sources/registers", {}, { everySeconds: 15 })
  const sources = useRead("GET /verification-sources", { query: { pageSize: "100" } }, { everySeconds: 15 })
  const monitoring = useRead("GET /monitoring", {}, { everySeconds: 60 })
  return (
    <Screen
      title="Verification sources"
      actions={
        <>
          <ListExport list="GET /verification-sources" name="verification-sources" query={{}} />
          <AddLink privilege="verificationSource:CREATE" href="/console/verification-sources/new">
            Set up a source
          </AddLink>
        </>
      }
    >
      <Loaded read={registers}>
        {({ data }) => (
          <Loaded read={sources}>
            {(own) => {
              const rows = rowsOf(data, own.data, monitoring.data?.data ?? []).filter(selections[show] ?? (() => true))
              return (
                <div class="group">
                  {own.data.length === 0 ? <NoSources registers={data} /> : null}
                  <div class="filters">
                    <SelectFilter name="show" label="Show" options={choices} />
                  </div>
                  {rows.length === 0 ? (
                    <Empty title="No register matches." />
                  ) : (
                    <Table
                      caption="Registers"
                      columns={columns}
                      rows={rows}
                      keyOf={({ credentialType }) => credentialType}
                    />
                  )}
                </div>
              )
            }}
          </Loaded>
        )}
      </Loaded>
    </Screen>
  )
}
