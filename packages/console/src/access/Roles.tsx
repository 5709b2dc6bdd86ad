import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { CheckFilter } from "../listing/Filters.tsx"
import { Table } from "../listing/Table.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Loaded } from "../widgets/Loaded.tsx"

type Role = Item<"GET /roles">
type Right = Role["rights"][number]

/** The operations as words, the same for all roles. */
const words = { READ: "read", CREATE: "add", UPDATE: "change", DELETE: "delete" } as const

const operationsOf = (right: Right | undefined, isLimited: boolean): string => {
  const operations = (isLimited ? right?.withinUnits : right?.operations) ?? []
  return operations.length === 0 ? "–" : operations.map((operation) => words[operation]).join(", ")
}

/** What each role may do. The table is the service's own. */
export const Roles = () => {
  const [{ limited = "" }] = useUrlState()
  const read = useRead("GET /roles", {})
  const isLimited = limited === "true"
  return (
    <Screen title="Roles">
      <p class="quiet">
        A user has one role. It can be limited to units: then it reaches their people only, and loses what shows or
        changes the whole organization. A Super Admin cannot be limited.
      </p>
      <div class="filters">
        <CheckFilter name="limited" label="Show what is left within units" />
      </div>
      <Loaded read={read}>
        {({ data }) => {
          const shown = data.filter(
            ({ rights }) => !isLimited || rights.some(({ withinUnits }) => withinUnits !== null)
          )
          return (
            <>
              <dl class="facts">
                {shown.map(({ name, purpose }) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{purpose}</dd>
                  </div>
                ))}
              </dl>
              <Table
                caption="What each role may do"
                keyOf={({ entityType }) => entityType}
                rows={data[0]?.rights ?? []}
                columns={[
                  { heading: "Records", cell: ({ name }) => name },
                  ...shown.map((role) => ({
                    heading: role.name,
                    cell: ({ entityType }: Right) =>
                      operationsOf(
                        role.rights.find((right) => right.entityType === entityType),
                        isLimited
                      )
                  }))
                ]}
              />
            </>
          )
        }}
      </Loaded>
    </Screen>
  )
}
