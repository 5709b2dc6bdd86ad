import { Type } from "class-transformer"
import {
  IsIn,
  IsObject,
  IsOptional,
  Validate,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface
} from "class-validator"
import { isOwnerId, type Owner } from "../Link.ts"

const ownerTypes = ["worker", "applicant"] as const

/** The query of a GET of one credential. */
export class ReadCredentialQuery {
  @IsOptional()
  @IsIn(["true", "false"])
  readonly includeDeleted?: "true" | "false"
}

/** Requires an id of the owner's type. */
@ValidatorConstraint()
export class OwnerIdConstraint implements ValidatorConstraintInterface {
  validate(id: unknown, { object }: ValidationArguments): boolean {
    return "type" in object && ownerTypes.some((type) => type === object.type && isOwnerId(type, id))
  }

  defaultMessage(): string {
    return "id: is no id of the owner's type"
  }
}

class OwnerDto {
  @IsIn(ownerTypes)
  readonly type!: Owner["type"]

  @Validate(OwnerIdConstraint)
  readonly id!: string
}

const isBare = ({ to }: LinkDto): boolean => (to ?? undefined) === undefined

/** The body of a link: an owner, bare or under `to`. */
export class LinkDto {
  @ValidateIf(isBare)
  @IsIn(ownerTypes)
  readonly type!: Owner["type"]

  @ValidateIf(isBare)
  @Validate(OwnerIdConstraint)
  readonly id!: string

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => OwnerDto)
  readonly to?: OwnerDto

  get owner(): Owner {
    return this.to ?? this
  }
}
