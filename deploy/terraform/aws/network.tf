resource "aws_security_group" "vault" {
  name   = "${var.name}-vault"
  vpc_id = var.vpc_id
}

resource "aws_vpc_security_group_egress_rule" "vault" {
  description       = "PostgreSQL, KMS, and destinations of the proxy and of webhooks"
  security_group_id = aws_security_group.vault.id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}

# 8080 for requests, and 8081 for the health checks of the load balancer.
resource "aws_vpc_security_group_ingress_rule" "vault" {
  security_group_id            = aws_security_group.vault.id
  referenced_security_group_id = aws_security_group.balancer.id
  ip_protocol                  = "tcp"
  from_port                    = 8080
  to_port                      = 8081
}

resource "aws_security_group" "balancer" {
  name   = "${var.name}-balancer"
  vpc_id = var.vpc_id
}

resource "aws_vpc_security_group_ingress_rule" "balancer" {
  security_group_id = aws_security_group.balancer.id
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}

resource "aws_vpc_security_group_egress_rule" "balancer" {
  security_group_id            = aws_security_group.balancer.id
  referenced_security_group_id = aws_security_group.vault.id
  ip_protocol                  = "tcp"
  from_port                    = 8080
  to_port                      = 8081
}

resource "aws_lb" "vault" {
  name            = var.name
  subnets         = var.public_subnet_ids
  security_groups = [aws_security_group.balancer.id]
  # A proxied call takes up to 25 seconds.
  idle_timeout = 75
}

resource "aws_lb_target_group" "vault" {
  name                 = var.name
  vpc_id               = var.vpc_id
  target_type          = "ip"
  port                 = 8080
  protocol             = "HTTP"
  deregistration_delay = 30

  health_check {
    path                = "/readyz"
    port                = "8081"
    interval            = 5
    timeout             = 3
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}

resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.vault.arn
  port              = 443
  protocol          = "HTTPS"
  ssl_policy        = "ELBSecurityPolicy-TLS13-1-2-2021-06"
  certificate_arn   = var.certificate_arn

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.vault.arn
  }
}
