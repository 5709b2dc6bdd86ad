import type { ComponentChildren } from "preact"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import type { Person } from "../people/Person.ts"
import { Badge } from "../widgets/Badge.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { BanDecision } from "./BanDecision.tsx"
import { exemptionRecords, InForce } from "./Exemptions.tsx"
import { fetchRecords } from "./FetchRequests.tsx"
import { AddRecord, RecordActions, type RecordKind } from "./RecordDialogs.tsx"
import { recruitmentRecords } from "./RecruitmentChecks.tsx"
import { TypeNames } from "./TypeNames.tsx"

type Path = "exemptions" | "fetch-requests" | "recruitment-checks" | "bans"

/** The records of a person that are shown. */
const shownMax = "100"

/** Records of one person, and a button that adds one. */
const Section = <One extends Path>({
  empty,
  entity,
  path,
  person,
  query,
  record,
  summary,
  title
}: {
  readonly title: string
  readonly path: One
  readonly entity: "exemption" | "captureRequest" | "credentialCheck" | "ban"
  readonly person: Person
  readonly query: Readonly<Record<string, string>>
  readonly record?: RecordKind
  readonly summary: (row: Item<`GET /${One}`>) => ComponentChildren
  readonly empty: string
}) => {
  const may = useMay()
  const isWanted = may(`${entity}:READ`)
  // The lists have these parameters. Their rows are those of `summary`.
  const read = useRead(
    `GET /${path}` as "GET /exemptions",
    { query: { ...query, pageSize: shownMax, sort: "createdAt:desc" } },
    { isWanted }
  )
  if (!isWanted) return null
  return (
    <section class="block">
      <h2>{title}</h2>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <p class="quiet">{empty}</p>
          ) : (
            <>
              <ul class="records">
                {data.map((row) => (
                  <li key={row.id}>
                    <div>{summary(row as never)}</div>
                    {record === undefined ? null : <RecordActions kind={record} row={row} />}
                  </li>
                ))}
              </ul>
              {meta.nextCursor === null ? null : (
                <p class="quiet">
                  The newest {shownMax} are shown. Look for older ones in{" "}
                  <a href={`/console/${path}`}>the list of all people</a>.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {record !== undefined && record.entity === entity && may(`${record.entity}:CREATE`) ? (
        <div class="actions">
          <Opener class="" dialog={(close) => <AddRecord kind={record} person={person} onClose={close} />}>
            Add {record.noun}
          </Opener>
        </div>
      ) : null}
    </section>
  )
}

const Invited = ({
  expiryDate,
  remindedAt,
  status
}: Pick<Item<"GET /fetch-requests">, "expiryDate" | "remindedAt" | "status">) => (
  <>
    <Badge value={status} /> {expiryDate === undefined ? null : <CalendarDay day={expiryDate} isNear />}
    {remindedAt === undefined ? null : (
      <>
        {" "}
        · reminded <Time at={remindedAt} />
      </>
    )}
  </>
)

/** The exemptions of a person, what the person is asked for, and the answers of registers of banned persons. */
export const PersonRecords = ({ person }: { readonly person: Person }) => (
  <>
    <Section
      title="Exemptions"
      path="exemptions"
      entity="exemption"
      person={person}
      query={{ ownerType: person.type, ownerId: person.id }}
      record={exemptionRecords}
      empty="None."
      summary={(row) => (
        <>
          {row.exemptionType}
          {row.reason === undefined ? "" : `: ${row.reason}`} · until <CalendarDay day={row.expiryDate} isNear />{" "}
          <InForce {...row} />
        </>
      )}
    />
    {person.type === "worker" ? (
      <>
        <Section
          title="Fetch requests"
          path="fetch-requests"
          entity="captureRequest"
          person={person}
          query={{ workerId: person.id }}
          record={fetchRecords}
          empty="The worker was not asked for credentials."
          summary={(row) => (
            <>
              <TypeNames codes={row.requestedCredentialTypes} /> <Invited {...row} />
            </>
          )}
        />
        <Section
          title="Registers of banned persons"
          path="bans"
          entity="ban"
          person={person}
          query={{ workerId: person.id }}
          empty="No register has a record."
          summary={(row) => (
            <>
              {row.register} <Badge value={row.eligibility} /> <Time at={row.checkedAt} />
              {row.matches.map(({ detail, name, reference }) => (
                <p key={reference} class="quiet">
                  {[name, reference, detail].filter(Boolean).join(", ")}
                </p>
              ))}
              <BanDecision ban={row} name={person.name} />
            </>
          )}
        />
      </>
    ) : (
      <Section
        title="Recruitment checks"
        path="recruitment-checks"
        entity="credentialCheck"
        person={person}
        query={{ applicantId: person.id }}
        record={recruitmentRecords}
        empty="The applicant was not asked for a screening package."
        summary={(row) => (
          <>
            {row.screeningPackageCode} <Invited {...row} />
          </>
        )}
      />
    )}
  </>
)
