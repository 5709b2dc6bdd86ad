import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { MailRefused } from "../messages/MailRefused.tsx"
import { Deleted } from "../records/Deleted.tsx"
import { Deletion } from "../records/Deletion.tsx"
import { RecordId } from "../records/RecordId.tsx"
import { lazyPart } from "../shell/LazyPart.tsx"
import { Screen } from "../shell/Screen.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { CredentialCards } from "./CredentialCards.tsx"
import { EditApplicant } from "./EditApplicant.tsx"
import { Hire } from "./Hire.tsx"

const PersonNotes = lazyPart(async () => (await import("../records/Notes.tsx")).PersonNotes)
const PersonRecords = lazyPart(async () => (await import("../lists/PersonRecords.tsx")).PersonRecords)

/** The buttons of an applicant, for those who may use them. */
const Actions = ({ applicant, name }: { readonly applicant: Data<"GET /applicants/:id">; readonly name: string }) => {
  const may = useMay()
  const { id, status } = applicant
  const mayHire = may("credential:UPDATE") && may("worker:CREATE") && may("applicant:UPDATE")
  return (
    <>
      {may("credential:CREATE") ? (
        <a class="button" href={`/console/credentials/new?applicant=${id}`}>
          Add a credential
        </a>
      ) : null}
      {mayHire && status !== "HIRED" ? (
        <Opener class="main" dialog={(close) => <Hire applicant={applicant} onClose={close} />}>
          Hire
        </Opener>
      ) : null}
      <Opener
        needs="applicant:UPDATE"
        class=""
        dialog={(close) => <EditApplicant id={id} name={name} onClose={close} />}
      >
        Edit
      </Opener>
      <Opener
        needs="applicant:DELETE"
        class="danger"
        dialog={(close) => (
          <Deletion list="applicants" id={id} name={name} staysHere onClose={close}>
            <p>
              The applicant leaves all lists. The credentials stay, and keep the applicant as their owner. The applicant
              can be restored.
            </p>
          </Deletion>
        )}
      >
        Delete
      </Opener>
    </>
  )
}

/** An applicant with credentials. */
export const Applicant = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const read = useRead("GET /applicants/:id", { params: { id }, query: { includeDeleted: "true" } })
  const applicant = read.data?.data
  const name = applicant?.displayName ?? applicant?.emailAddress ?? "Applicant"
  const isThere = applicant !== undefined && applicant.deletedAt === undefined
  return (
    <Screen title={name} actions={isThere ? <Actions applicant={applicant} name={name} /> : null}>
      <Loaded read={read}>
        {({ data }) => (
          <>
            {data.deletedAt === undefined ? null : (
              <Deleted
                list="applicants"
                id={id}
                name={name}
                at={data.deletedAt}
                erasedAt={data.erasedAt}
                isAllowed={may("applicant:DELETE")}
              />
            )}
            <MailRefused {...data} />
            <section class="block">
              <h2>About</h2>
              <Facts
                facts={[
                  ["Status", <Badge key="status" value={data.status} />],
                  ["Email", data.emailAddress],
                  ["Phone", data.phone],
                  ["First name", data.firstName],
                  ["Last name", data.lastName],
                  ["Born", data.birthDate === undefined ? undefined : <CalendarDay day={data.birthDate} />],
                  ["Your id", data.source?.externalId],
                  ["Changed", <Time key="changed" at={data.updatedAt} />],
                  ["Id", <RecordId key="id" id={data.id} />]
                ]}
              />
            </section>
          </>
        )}
      </Loaded>
      {applicant !== undefined && may("credential:READ") ? <CredentialCards owner={{ type: "applicant", id }} /> : null}
      {isThere ? (
        <>
          <PersonRecords person={{ type: "applicant", id, name }} />
          <PersonNotes id={id} kind="applicant" />
        </>
      ) : null}
    </Screen>
  )
}
