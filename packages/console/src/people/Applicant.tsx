import { useState } from "preact/hooks"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { CredentialCards } from "./CredentialCards.tsx"
import { Hire } from "./Hire.tsx"

/** An applicant with credentials. */
export const Applicant = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const read = useRead("GET /applicants/:id", { params: { id } })
  const [isHiring, setIsHiring] = useState(false)
  const applicant = read.data?.data
  const mayHire = may("credential:UPDATE") && may("worker:CREATE") && may("applicant:UPDATE")
  return (
    <Screen
      title={applicant?.displayName ?? applicant?.emailAddress ?? "Applicant"}
      actions={
        applicant === undefined ? null : (
          <>
            {may("credential:CREATE") ? (
              <a class="button" href={`/console/credentials/new?applicant=${id}`}>
                Add a credential
              </a>
            ) : null}
            {mayHire && applicant.status !== "HIRED" ? (
              <button type="button" class="main" onClick={() => setIsHiring(true)}>
                Hire
              </button>
            ) : null}
          </>
        )
      }
    >
      <Loaded read={read}>
        {({ data }) => (
          <section class="block">
            <h2>About</h2>
            <Facts
              facts={[
                ["Status", <Badge key="status" value={data.status} />],
                ["Email", data.emailAddress],
                ["Phone", data.phone],
                ["Last name", data.lastName],
                ["Born", data.birthDate === undefined ? undefined : <CalendarDay day={data.birthDate} />],
                ["Your id", data.source?.externalId],
                ["Changed", <Time key="changed" at={data.updatedAt} />],
                ["Id", <code key="id">{data.id}</code>]
              ]}
            />
          </section>
        )}
      </Loaded>
      {applicant !== undefined && may("credential:READ") ? <CredentialCards owner={{ type: "applicant", id }} /> : null}
      {isHiring && applicant !== undefined ? <Hire applicant={applicant} onClose={() => setIsHiring(false)} /> : null}
    </Screen>
  )
}
