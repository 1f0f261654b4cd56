# If this key is deleted, all data is lost.
resource "aws_kms_key" "root" {
  description             = "Strongroom root key of ${var.name}"
  enable_key_rotation     = true
  deletion_window_in_days = 30

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_kms_alias" "root" {
  name          = "alias/${var.name}"
  target_key_id = aws_kms_key.root.key_id
}

data "aws_iam_policy_document" "task_assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ecs-tasks.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "root_key" {
  statement {
    sid       = "WrapAndUnwrapKeysOfTheVault"
    actions   = ["kms:Encrypt", "kms:Decrypt"]
    resources = [aws_kms_key.root.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "kms:EncryptionContextKeys"
      values   = ["tenant", "purpose", "version"]
    }

    condition {
      test     = "Null"
      variable = "kms:EncryptionContextKeys"
      values   = ["false"]
    }
  }
}

resource "aws_iam_role" "task" {
  name               = "${var.name}-task"
  assume_role_policy = data.aws_iam_policy_document.task_assume.json
}

resource "aws_iam_role_policy" "root_key" {
  name   = "root-key"
  role   = aws_iam_role.task.id
  policy = data.aws_iam_policy_document.root_key.json
}
