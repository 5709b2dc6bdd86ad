import type { Data } from "../calls/Contract.ts"
import { RecordId } from "../records/RecordId.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"

/** The fields of a worker. */
export const WorkerFacts = ({ contact, employment, id, identity, source, updatedAt }: Data<"GET /workers/:id">) => (
  <Facts
    facts={[
      ["First name", identity.firstName],
      ["Last name", identity.lastName],
      ["Born", identity.birthDate === undefined ? undefined : <CalendarDay day={identity.birthDate} />],
      ["Job", employment?.jobTitle],
      ["Status", employment?.status === undefined ? undefined : <Badge value={employment.status} />],
      ["Work email", contact?.workEmail],
      ["Private email", contact?.personalEmail],
      ["Phone", contact?.mobileNumber],
      ["Your id", source?.externalId],
      ["Changed", <Time key="changed" at={updatedAt} />],
      ["Id", <RecordId key="id" id={id} />]
    ]}
  />
)
