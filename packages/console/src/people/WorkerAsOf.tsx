import { useState } from "preact/hooks"
import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Verification } from "../credentials/Histories.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge } from "../widgets/Badge.tsx"
import { dayAt } from "../widgets/Days.ts"
import { Facts } from "../widgets/Facts.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { CalendarDay, Time, useTimeZone, useToday } from "../widgets/Time.tsx"
import { Result } from "./Matrix.tsx"

type Card = NonNullable<Data<"GET /workers/:id">["credentials"]>[number]

/** A credential on a day, with the verifications until then. */
const Evidence = ({ card: { attributes, id }, day }: { readonly card: Card; readonly day: string }) => {
  const timeZone = useTimeZone()
  const read = useRead("GET /credentials/:id/verifications", {
    params: { id },
    query: { pageSize: "100", sort: "createdAt:desc" }
  })
  return (
    <section class="block">
      <h2>{attributes.credentialType}</h2>
      <Facts
        facts={[
          ["Number", attributes.identifier],
          ["Verdict", attributes.eligibility === undefined ? undefined : <Badge value={attributes.eligibility} />],
          ["Last verified", <Time key="verified" at={attributes.lastVerifiedAt} isExact />],
          ["Expires", <CalendarDay key="expires" day={attributes.expiryDate} />],
          ["Id", <code key="id">{id}</code>]
        ]}
      />
      <Loaded read={read}>
        {({ data }) => (
          <ol class="timeline">
            {data
              .filter(({ requestedAt }) => dayAt(new Date(requestedAt), timeZone) <= day)
              .map((one) => (
                <Verification key={one.id} {...one} />
              ))}
          </ol>
        )}
      </Loaded>
    </section>
  )
}

/** What was known of a worker at the end of a day: status, checks and credentials with their evidence. For print. */
export const WorkerAsOf = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const today = useToday()
  const [{ day = today }, change] = useUrlState()
  const [now] = useState(() => new Date().toISOString())
  const seesCards = may("credential:READ")
  const query = { asOf: day }
  const read = useRead("GET /workers/:id", {
    params: { id },
    query: seesCards ? { ...query, include: "credentials" } : query
  })
  const matrix = useRead(
    "GET /compliance-matrix",
    { query: { ...query, workerId: id } },
    { isWanted: seesCards && may("complianceCheck:READ") && may("ban:READ") }
  )
  return (
    <Screen
      title={`${read.data?.data.identity.displayName ?? "Worker"} on a day`}
      actions={
        <button type="button" onClick={() => print()}>
          Print
        </button>
      }
    >
      <div class="filters">
        <TextField label="Day" type="date" value={day} onChange={(next) => change({ day: next }, { replaces: true })} />
      </div>
      <p>
        As known at the end of <CalendarDay day={day} />. Read <Time at={now} isExact />.
      </p>
      <Loaded read={read}>
        {({ data }) => (
          <>
            <section class="block">
              <h2>About</h2>
              <Facts
                facts={[
                  ["Name", data.identity.displayName],
                  [
                    "Status",
                    data.employment?.status === undefined ? undefined : <Badge value={data.employment.status} />
                  ],
                  ["Job", data.employment?.jobTitle],
                  ["Changed", <Time key="changed" at={data.updatedAt} isExact />],
                  ["Id", <code key="id">{id}</code>]
                ]}
              />
            </section>
            {matrix.data === undefined ? null : (
              <section class="block">
                <h2>Compliance checks</h2>
                <ul>
                  {matrix.data.data
                    .flatMap(({ checks }) => checks)
                    .map((check) => (
                      <li key={check.complianceCheckId}>
                        {check.complianceCheckId} <Result {...check} />
                      </li>
                    ))}
                </ul>
              </section>
            )}
            {data.credentials?.map((card) => (
              <Evidence key={card.id} card={card} day={day} />
            ))}
          </>
        )}
      </Loaded>
    </Screen>
  )
}
