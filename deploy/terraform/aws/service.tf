data "aws_region" "current" {}

locals {
  environment = {
    STRONGROOM_PUBLIC_URL      = var.public_url
    STRONGROOM_TRUSTED_PROXIES = join(",", var.public_subnet_cidrs)
    STRONGROOM_HOST            = "0.0.0.0"
    STRONGROOM_ADMIN_HOST      = "0.0.0.0"
    STRONGROOM_AWS_KMS_KEY     = aws_kms_key.root.arn
    STRONGROOM_AWS_KMS_REGION  = data.aws_region.current.name
  }
  # Servers first stop being ready, then finish their requests.
  roles = {
    serve = { count = 2, health = "serve" }
    work  = { count = 2, health = "work" }
  }
}

resource "aws_ecs_cluster" "vault" {
  name = var.name
}

resource "aws_cloudwatch_log_group" "vault" {
  name              = "/${var.name}"
  retention_in_days = 90
}

# `migrate` is a task of its own: run it with `aws ecs run-task` before each new version of the services.
resource "aws_ecs_task_definition" "vault" {
  for_each = merge(local.roles, { migrate = { count = 0, health = null } })

  family                   = "${var.name}-${each.key}"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = 1024
  memory                   = 2048
  task_role_arn            = aws_iam_role.task.arn
  execution_role_arn       = aws_iam_role.execution.arn

  container_definitions = jsonencode([{
    name                   = each.key
    image                  = var.image
    command                = [each.key]
    essential              = true
    readonlyRootFilesystem = true
    stopTimeout            = 40
    environment            = [for key, value in local.environment : { name = key, value = value }]
    secrets                = [{ name = "STRONGROOM_DATABASE_URL", valueFrom = aws_secretsmanager_secret.database_url.arn }]
    portMappings           = each.key == "serve" ? [{ containerPort = 8080 }, { containerPort = 8081 }] : []
    healthCheck = each.value.health == null ? null : {
      command     = ["CMD", "strongroom", "healthcheck", each.value.health]
      startPeriod = 60
    }
    logConfiguration = {
      logDriver = "awslogs"
      options = {
        "awslogs-group"         = aws_cloudwatch_log_group.vault.name
        "awslogs-region"        = data.aws_region.current.name
        "awslogs-stream-prefix" = each.key
      }
    }
  }])
}

resource "aws_ecs_service" "vault" {
  for_each = local.roles

  name                               = each.key
  cluster                            = aws_ecs_cluster.vault.id
  task_definition                    = aws_ecs_task_definition.vault[each.key].arn
  desired_count                      = each.value.count
  launch_type                        = "FARGATE"
  deployment_minimum_healthy_percent = 100

  network_configuration {
    subnets         = var.private_subnet_ids
    security_groups = [aws_security_group.vault.id]
  }

  dynamic "load_balancer" {
    for_each = each.key == "serve" ? [1] : []

    content {
      target_group_arn = aws_lb_target_group.vault.arn
      container_name   = "serve"
      container_port   = 8080
    }
  }

  depends_on = [aws_lb_listener.https]
}

resource "aws_iam_role" "execution" {
  name               = "${var.name}-execution"
  assume_role_policy = data.aws_iam_policy_document.task_assume.json
}

resource "aws_iam_role_policy_attachment" "execution" {
  role       = aws_iam_role.execution.name
  policy_arn = "arn:aws:iam::aws:policy/service-role/AmazonECSTaskExecutionRolePolicy"
}

resource "aws_iam_role_policy" "execution_secrets" {
  name = "secrets"
  role = aws_iam_role.execution.id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "secretsmanager:GetSecretValue"
      Resource = aws_secretsmanager_secret.database_url.arn
    }]
  })
}
