import { Argument, Command, Flag } from "effect/cli"
import { allTenants, perform, required, tenant } from "./Flags.ts"

const createTenant = Command.make(
  "create-tenant",
  {
    name: required("name", "Name of the tenant"),
    hosts: required("host", "Host of the tenant, without a port; can be repeated").pipe(Flag.atLeast(1))
  },
  ({ hosts, name }) => perform((client) => client.createTenant({ payload: { name, hosts } }))
).pipe(Command.withDescription("Create a tenant with its hosts"))

const listTenants = Command.make("list-tenants", {}, () => perform((client) => client.listTenants())).pipe(
  Command.withDescription("List the tenants, oldest first")
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
export const tenantSubcommands = [createTenant, listTenants, addHost, removeHost, listHosts] as const
