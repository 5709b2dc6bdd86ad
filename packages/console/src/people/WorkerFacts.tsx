import type { Data } from "../calls/Contract.ts"
import { Badge } from "../widgets/Badge.tsx"
import { type Fact, Facts } from "../widgets/Facts.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"

type Worker = Data<"GET /workers/:id">

/** The fields of a worker that a person enters, with their labels. */
export const enteredFacts = ({ contact, employment, identity, source }: Worker): ReadonlyArray<Fact> => [
  ["First name", identity.firstName],
  ["Last name", identity.lastName],
  ["Born", identity.birthDate === undefined ? undefined : <CalendarDay day={identity.birthDate} />],
  ["Job", employment?.jobTitle],
  ["Status", employment?.status === undefined ? undefined : <Badge value={employment.status} />],
  ["First day", employment?.startDate === undefined ? undefined : <CalendarDay day={employment.startDate} />],
  ["Last day", employment?.endDate === undefined ? undefined : <CalendarDay day={employment.endDate} />],
  ["Work email", contact?.workEmail],
  ["Private email", contact?.personalEmail],
  ["Phone", contact?.mobileNumber],
  ["Your id", source?.externalId]
]

/** The fields of a worker. */
export const WorkerFacts = (worker: Worker) => (
  <Facts
    facts={[
      ...enteredFacts(worker),
      ["Changed", <Time key="changed" at={worker.updatedAt} />],
      ["Id", <code key="id">{worker.id}</code>]
    ]}
  />
)
