import { useState } from "preact/hooks"
import { Account } from "../access/Account.tsx"
import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Paging } from "../listing/Paging.tsx"
import { withCredentialLabels } from "../records/FieldLabels.ts"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { Change } from "./Slots.tsx"

const shownMax = "25"

/** The changes of the owners, newest first. */
export const OwnershipHistory = ({
  id,
  names
}: {
  readonly id: string
  readonly names: Readonly<Record<string, string>>
}) => {
  const [{ ownership: cursor }] = useUrlState()
  const read = useRead("GET /credentials/:id/ownership", { params: { id }, query: { cursor, pageSize: shownMax } })
  return (
    <section class="block">
      <h2>Ownership</h2>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <p class="quiet">No change is recorded.</p>
          ) : (
            <>
              <ol class="timeline">
                {data.map(({ account, action, after, before, createdAt, id }) => (
                  <li key={id}>
                    <p>
                      <strong>{action}</strong> · <Time at={createdAt} /> · <Account urn={account} />
                    </p>
                    <Change before={before} after={after} names={names} />
                  </li>
                ))}
              </ol>
              <Paging parameter="ownership" next={meta.nextCursor} shown={data.length} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

type Verified = Item<"GET /credentials/:id/verifications">

/** What started a verification. */
const causes: Readonly<Record<Verified["trigger"], string>> = {
  create: "when the credential was added, by",
  update: "after a change, by",
  verify: "asked for by",
  scan: "after a scan, by",
  bar: "because another card of the person was barred, after a call by",
  notice: "notice recorded by",
  schedule: "on schedule, by"
}

/** A verification in a timeline. */
export const Verification = ({
  account,
  eligibility,
  errorMessage,
  expiryDate,
  notice,
  requestedAt,
  statusDetail,
  trigger
}: Verified) => (
  <li>
    <Badge value={eligibility} /> {wordsOf(statusDetail)} · <Time at={requestedAt} /> · {causes[trigger]}{" "}
    <Account urn={account} />
    {notice === undefined ? null : (
      <p>
        Notice of <CalendarDay day={notice.issuedOn} />, reference {notice.reference}
      </p>
    )}
    {expiryDate === null ? null : (
      <>
        {" "}
        · expires <CalendarDay day={expiryDate} />
      </>
    )}
    {errorMessage === null ? null : <p>{withCredentialLabels(errorMessage)}</p>}
  </li>
)

/** How often the verifications are read again while one waits for its verdict. */
const waitingSeconds = 3

/** The verifications, newest first. While one waits for its verdict, the list is read again. */
export const VerificationHistory = ({ id }: { readonly id: string }) => {
  const [{ verifications: cursor }] = useUrlState()
  const [isWaiting, setIsWaiting] = useState(false)
  const read = useRead(
    "GET /credentials/:id/verifications",
    { params: { id }, query: { cursor, pageSize: shownMax, sort: "createdAt:desc" } },
    isWaiting ? { everySeconds: waitingSeconds } : {}
  )
  const waits = read.data?.data.some(({ eligibility }) => eligibility === "IN_PROGRESS") ?? false
  if (waits !== isWaiting) setIsWaiting(waits)
  return (
    <section class="block">
      <h2>Verifications</h2>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <p class="quiet">It was never verified.</p>
          ) : (
            <>
              <ol class="timeline">
                {data.map((one) => (
                  <Verification key={one.id} {...one} />
                ))}
              </ol>
              <Paging parameter="verifications" next={meta.nextCursor} shown={data.length} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}
