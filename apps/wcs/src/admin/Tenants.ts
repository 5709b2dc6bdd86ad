import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { allTenants, perform, required, tenant } from "./Flags.ts"

const createTenant = Command.make(
  "create-tenant",
  {
    name: required("name", "Name of the tenant"),
    hosts: required("host", "Host of the tenant, without a port; can be repeated").pipe(Flag.atLeast(1)),
    timeZone: Flag.String("time-zone").pipe(
      Flag.withDescription(`IANA time zone of the tenant, such as Australia/Perth; by default ${defaultTimeZone}`),
      Flag.optional
    )
  },
  ({ hosts, name, timeZone }) =>
    perform((client) =>
      client.createTenant({
        payload: { name, hosts, ...(Option.isSome(timeZone) ? { timeZone: timeZone.value } : {}) }
      })
    )
).pipe(Command.withDescription("Create a tenant with its hosts"))

const listTenants = Command.make("list-tenants", {}, () => perform((client) => client.listTenants())).pipe(
  Command.withDescription("List the tenants, oldest first")
)

const timeZone = Argument.String("time-zone").pipe(
  Argument.withDescription("IANA name of a time zone, such as Australia/Perth")
)

const setTimeZone = Command.make("set-time-zone", { tenant, timeZone }, ({ tenant, timeZone }) =>
  perform((client) => client.setTimeZone({ payload: { tenant, timeZone } }))
).pipe(
  Command.withDescription(
    "Set the time zone whose days decide expiry dates and verdicts. Servers apply it within a second"
  )
)

const host = Argument.String("host").pipe(Argument.withDescription("Host name without a port, such as wcs.example"))

const addHost = Command.make("add-host", { tenant, host }, ({ host, tenant }) =>
  perform((client) => client.addHost({ payload: { tenant, host } }))
).pipe(Command.withDescription("Add a host to a tenant. Servers answer on it within a second"))

const removeHost = Command.make("remove-host", { tenant, host }, ({ host, tenant }) =>
  perform((client) => client.removeHost({ payload: { tenant, host } }))
).pipe(Command.withDescription("Remove a host from a tenant. Servers stop answering on it within a second"))

const listHosts = Command.make("list-hosts", { tenant: allTenants }, ({ tenant }) =>
  perform((client) => client.listHosts({ payload: { tenant } }))
).pipe(Command.withDescription("List the hosts with their tenants"))

/** The commands for tenants and their hosts. */
export const tenantSubcommands = [createTenant, listTenants, setTimeZone, addHost, removeHost, listHosts] as const
