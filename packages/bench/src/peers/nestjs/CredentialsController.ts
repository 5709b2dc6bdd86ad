import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from "@nestjs/common"
import { type Caller, mayRead, mayUpdate } from "../Gate.ts"
import { RequirePrivilege } from "./AccessGuard.ts"
import { LinkDto, ReadCredentialQuery } from "./CredentialDtos.ts"
import { CredentialsService } from "./CredentialsService.ts"
import { JsonGuard } from "./JsonGuard.ts"
import { CredentialIdPipe, CurrentCaller, RequestId } from "./Parameters.ts"

@Controller("openapi/v1/credentials")
export class CredentialsController {
  readonly #credentials: CredentialsService

  constructor(credentials: CredentialsService) {
    this.#credentials = credentials
  }

  @Get(":id")
  @RequirePrivilege(mayRead)
  read(
    @Param("id", CredentialIdPipe) id: string,
    @Query() { includeDeleted }: ReadCredentialQuery,
    @CurrentCaller() caller: Caller,
    @RequestId() requestId: string
  ) {
    return this.#credentials.read(caller, id, includeDeleted === "true", requestId)
  }

  @Post(":id/link")
  @HttpCode(200)
  @RequirePrivilege(mayUpdate)
  @UseGuards(JsonGuard)
  link(
    @Param("id", CredentialIdPipe) id: string,
    @Body() { owner }: LinkDto,
    @CurrentCaller() caller: Caller,
    @RequestId() requestId: string
  ) {
    return this.#credentials.link(caller, id, owner, requestId)
  }
}
