import type { Data } from "../calls/Contract.ts"
import { RecordId } from "../records/RecordId.tsx"
import { useUnits } from "../records/Unit.tsx"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"

const UnitName = ({ id }: { readonly id: string }) => <>{useUnits().find((unit) => unit.id === id)?.name ?? id}</>

/** The fields of a worker. */
export const WorkerFacts = ({
  contact,
  employment,
  id,
  identity,
  source,
  unit,
  updatedAt
}: Data<"GET /workers/:id">) => (
  <Facts
    facts={[
      ["First name", identity.firstName],
      ["Middle name", identity.middleName],
      ["Last name", identity.lastName],
      ["Other names", identity.otherNames?.join(", ")],
      ["Born", identity.birthDate === undefined ? undefined : <CalendarDay day={identity.birthDate} />],
      ["Unit", unit === undefined ? undefined : <UnitName id={unit.id} />],
      ["Job", employment?.jobTitle],
      ["Type of worker", employment?.workerType === undefined ? undefined : wordsOf(employment.workerType)],
      ["Status", employment?.status === undefined ? undefined : <Badge value={employment.status} />],
      ["First day", employment?.startDate === undefined ? undefined : <CalendarDay day={employment.startDate} />],
      ["Last day", employment?.endDate === undefined ? undefined : <CalendarDay day={employment.endDate} />],
      ["Organisation", employment?.organisationName],
      ["Work email", contact?.workEmail],
      ["Private email", contact?.personalEmail],
      ["Phone", contact?.mobileNumber],
      ["Your id", source?.externalId],
      ["System of your id", source?.sourceSystem],
      ["Changed", <Time key="changed" at={updatedAt} />],
      ["Id", <RecordId key="id" id={id} />]
    ]}
  />
)
