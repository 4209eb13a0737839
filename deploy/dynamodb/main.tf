# The DynamoDB tables of Recollect, and the policy of the role that its servers and workers have.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "table_name" {
  description = "As MEMORY_DYNAMODB_TABLE."
  type        = string
  default     = "ConversationMemory"
}

variable "point_in_time_recovery" {
  description = "Lets you restore the table as it was at any second of the last 35 days; has a price."
  type        = bool
  default     = true
}

variable "kms_key_arn" {
  description = "The key of your account that encrypts the table; has a price. Without it, a key of Amazon's own does."
  type        = string
  default     = null
}

resource "aws_dynamodb_table" "memory" {
  name                        = var.table_name
  billing_mode                = "PAY_PER_REQUEST"
  deletion_protection_enabled = true
  hash_key                    = "userId"
  range_key                   = "sessionKey"

  attribute {
    name = "byTime"
    type = "S"
  }

  attribute {
    name = "lastAccessed"
    type = "S"
  }

  attribute {
    name = "sessionKey"
    type = "S"
  }

  attribute {
    name = "userId"
    type = "S"
  }

  attribute {
    name = "workDue"
    type = "S"
  }

  attribute {
    name = "workQueue"
    type = "S"
  }

  global_secondary_index {
    name            = "lastAccessed-index"
    hash_key        = "userId"
    range_key       = "lastAccessed"
    projection_type = "KEYS_ONLY"
  }

  global_secondary_index {
    name            = "byTime-index"
    hash_key        = "userId"
    range_key       = "byTime"
    projection_type = "KEYS_ONLY"
  }

  global_secondary_index {
    name            = "work-index"
    hash_key        = "workQueue"
    range_key       = "workDue"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery
  }

  server_side_encryption {
    enabled     = var.kms_key_arn != null
    kms_key_arn = var.kms_key_arn
  }

  # 'terraform destroy' must not take everybody's memory along.
  lifecycle {
    prevent_destroy = true
  }
}

# The keys of users, where MEMORY_ENCRYPTION_KEY is set. It has no point-in-time recovery: a key that an erasure has
# destroyed must be gone.
resource "aws_dynamodb_table" "keys" {
  name                        = "${var.table_name}-keys"
  billing_mode                = "PAY_PER_REQUEST"
  deletion_protection_enabled = true
  hash_key                    = "userId"
  range_key                   = "sessionKey"

  attribute {
    name = "sessionKey"
    type = "S"
  }

  attribute {
    name = "userId"
    type = "S"
  }

  attribute {
    name = "workDue"
    type = "S"
  }

  attribute {
    name = "workQueue"
    type = "S"
  }

  global_secondary_index {
    name            = "work-index"
    hash_key        = "workQueue"
    range_key       = "workDue"
    projection_type = "KEYS_ONLY"
  }

  server_side_encryption {
    enabled     = var.kms_key_arn != null
    kms_key_arn = var.kms_key_arn
  }

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_iam_policy" "server" {
  name        = "${var.table_name}-server"
  description = "What servers and workers of Recollect do with their tables, and nothing else."
  policy = templatefile("${path.module}/iam-server.json", {
    table = aws_dynamodb_table.memory.arn
  })
}

output "server_policy_arn" {
  description = "Attach it to the role of the servers."
  value       = aws_iam_policy.server.arn
}
